/** What moves sound like, for who has switched that on: made by the browser itself, without files. */

/** @typedef {"move"|"capture"|"end"} Sound */

/** @type {Object<Sound, [kind: OscillatorType, hertz: number, from: number, seconds: number][]>} */
const TONES = {
  move: [["triangle", 520, 0, 0.07]],
  capture: [
    ["triangle", 330, 0, 0.09],
    ["triangle", 220, 0.09, 0.12],
  ],
  end: [
    ["sine", 392, 0, 0.3],
    ["sine", 494, 0.12, 0.3],
    ["sine", 587, 0.24, 0.5],
  ],
};
const VOLUME = 0.12;
const KEY = "sounds";

/** @type {?AudioContext} */
let audio = null;
let isOn = false;
try {
  isOn = localStorage.getItem(KEY) === "on";
} catch {
  // a browser that keeps nothing
}

/**
 * Make a sound, where sounds are on and the reader has touched the page: before that no browser lets it sound.
 * @param {Sound} sound
 */
export function play(sound) {
  if (!isOn || !navigator.userActivation?.hasBeenActive) return;
  audio ??= new AudioContext();
  for (const [kind, hertz, from, seconds] of TONES[sound]) {
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    const start = audio.currentTime + from;
    tone.type = kind;
    tone.frequency.value = hertz;
    volume.gain.setValueAtTime(VOLUME, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + seconds);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + seconds);
  }
}

function change() {
  isOn = !isOn;
  try {
    localStorage.setItem(KEY, isOn ? "on" : "off");
  } catch {
    // it holds for this page
  }
  play("move");
}

/** Let the button in the head of a page that has one switch sounds on and off. */
function offer() {
  const button = document.getElementById("sounds");
  if (!button) return;
  const show = () => button.setAttribute("aria-pressed", String(isOn));
  button.hidden = false;
  button.addEventListener("click", () => {
    change();
    show();
  });
  show();
}

offer();
