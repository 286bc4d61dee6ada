import { afterEach, beforeEach } from 'vitest';
import { Served } from './serve.ts';
import { Things } from './things.ts';

/** A new set of things for each test, and its service. */
export interface ThingsForEach {
  readonly things: Things;
  readonly served: Served;
}

export function thingsForEach(): ThingsForEach {
  let things: Things;
  let served: Served;
  beforeEach(async () => {
    things = new Things();
    served = await Served.start(things.routes);
  });
  afterEach(async () => {
    await served[Symbol.asyncDispose]();
  });
  return {
    get things() {
      return things;
    },
    get served() {
      return served;
    },
  };
}
