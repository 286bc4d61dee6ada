import { describe, expect, it } from 'vitest';
import { commandBench } from '../testing/run-command.ts';
import { getLastProcessedEventId, getPefCapabilities, getPefConfigurationParameters } from './pef-commands.ts';

describe('platform event filtering', () => {
  it('has no filters and no actions', async () => {
    const bench = commandBench();
    expect(await bench.answer(getPefCapabilities, '', bench.session(2))).toBe('00 51 00 00');
  });

  it.each([
    ['01 00 00', '00 11 00'],
    ['05 00 00', '00 11 00'],
    ['08 00 00', '00 11 00'],
    ['0a 00 00', `00 11${' 00'.repeat(17)}`],
    ['89 00 00', '00 11'],
    ['06 01 00', '80'],
    ['60 00 00', '80'],
  ])('answers parameter %s with %s', async (request, answer) => {
    expect(await commandBench().answer(getPefConfigurationParameters, request)).toBe(answer);
  });

  it('reports no processed event', async () => {
    const bench = commandBench();
    const nothing = 'ff ff ff ff ff ff ff ff';
    expect(await bench.answer(getLastProcessedEventId)).toBe(`00 ${nothing} ff ff`);
    bench.bmc.machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    bench.bmc.machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    expect(await bench.answer(getLastProcessedEventId)).toBe('00 00 00 00 00 04 00 ff ff ff ff');
  });
});
