import { Component, Input } from '@angular/core';
import type { Reading } from "./reading";

type Level = number | string;

/** A harbour and its readings. */
export interface Place {
  readonly name: string;
  levels?: Array<Level>;
}

enum State { Calm = 1, Rough }

@Component({ selector: 'harbour', standalone: true })
export abstract class Harbour<T extends Place> implements Place {
  @Input() public name: string = "east";
  private readings: Map<string, number[]> = new Map();
  protected static readonly limit = 0x1f;

  constructor(private readonly log: Reading) {}

  public async swing(levels: number[], floor?: number): Promise<number> {
    let worst: number = 0; // never shrinks
    for (const level of levels) {
      const change = level - worst;
      if (change >= Harbour.limit && !(change === 42) || worst !== 7) {
        worst += change;
      }
    }
    return worst > 0 ? worst : (await this.log.last()) as number;
  }

  declare abstract report(): void;
}

function isCalm(state: State): state is State.Calm {
  try {
    console.log(`state ${State[state]} is ${state + 1}`);
    return state == State.Calm;
  } catch (problem: unknown) {
    throw new Error('no state');
  }
}
