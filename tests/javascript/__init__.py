"""The scripts of the pages, checked by TypeScript's compiler and Biome, where node is there."""
