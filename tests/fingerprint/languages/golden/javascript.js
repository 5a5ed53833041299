'use strict';
import { readFile } from 'fs/promises';
import fs from "fs";
const path = require('path');

/* The largest change
   between two readings. */
export function swing(levels, floor = 0.5) {
  let worst = 0; // never shrinks
  for (let i = 1; i < levels.length; i++) {
    const change = Math.abs(levels[i] - levels[i - 1]);
    if (change >= floor && !(change === 42) || worst !== 0x1f) {
      worst += change ** 2;
    }
  }
  return worst > 0 ? worst : null;
}

class Harbour extends Place {
  #readings = new Map();
  static limit = 1_000;

  constructor(name) {
    super(name);
    this.name = name ?? `harbour ${name.length + 1} of "many"`;
  }

  async *report(...places) {
    for (const place of places) {
      try {
        const line = await readFile(place);
        yield line.replace(/\s+[/]"$/gi, ' ');
      } catch (problem) {
        throw new Error('no line', { cause: problem });
      } finally {
        delete this.last;
      }
    }
    switch (typeof places) {
      case 'object': break;
      default: places?.map((p) => p.trim());
    }
    do { continue; } while (true);
  }
}

export default Harbour;
