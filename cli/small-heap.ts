import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 collect garbage earlier than by default, which is meant for servers with much to do: lists of thousands of objects would leave a heap of
 * several times of what is kept.
 */
export function keepHeapSmall(): void {
  // New objects get no more room than they have now, instead of up to 128 MB, or 12 MB with the image's options.
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=20');
}
