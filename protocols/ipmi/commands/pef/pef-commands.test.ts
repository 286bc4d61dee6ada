import { beforeEach, describe, expect, it } from 'vitest';
import { type CommandBench, commandBench } from '../../testing/run-command.ts';
import { getLastProcessedEventId, setLastProcessedEventId } from './last-processed-event.ts';
import { armPefPostponeTimer, getPefCapabilities } from './pef-capabilities.ts';
import { getPefConfigurationParameters, setPefConfigurationParameters } from './pef-configuration-parameters.ts';

let bench: CommandBench;

beforeEach(() => {
  bench = commandBench();
});

describe('platform event filtering', () => {
  it('has no filters and no actions', async () => {
    expect(await bench.answer(getPefCapabilities, '', bench.session(2))).toBe('00 51 00 00');
  });

  it.each(['00', '3c', 'fe', 'ff'])('has nothing to postpone: %s', async (request) => {
    expect(await bench.answer(armPefPostponeTimer, request)).toBe('00 00');
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
    expect(await bench.answer(getPefConfigurationParameters, request)).toBe(answer);
  });

  it.each([
    ['accepts the current value', '01 00', '00'],
    ['does not change it', '01 01', '82'],
    ['rejects data that is too long', '01 00 00', 'c7'],
    ['rejects an invalid state of "set in progress"', '00 03', 'cc'],
    ['does not support event filters', '06 01 00', '80'],
  ])('%s', async (_what, request, answer) => {
    expect(await bench.answer(setPefConfigurationParameters, request)).toBe(answer);
  });

  it('is set by one session at a time', async () => {
    expect(await bench.answer(setPefConfigurationParameters, '00 01')).toBe('00');
    expect(await bench.answer(getPefConfigurationParameters, '00 00 00')).toBe('00 11 01');
    expect(await bench.answer(setPefConfigurationParameters, '00 01')).toBe('81');
  });

  it('reports no processed event until a client sets one', async () => {
    const nothing = 'ff ff ff ff ff ff ff ff';
    expect(await bench.answer(getLastProcessedEventId)).toBe(`00 ${nothing} ff ff`);
    bench.bmc.machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    bench.bmc.machine.log.append({ kind: 'BootOverrideEnded', why: 'Booted' });
    expect(await bench.answer(getLastProcessedEventId)).toBe('00 00 00 00 00 02 00 ff ff ff ff');
    expect(await bench.answer(setLastProcessedEventId, '00 01 00')).toBe('00');
    expect(await bench.answer(setLastProcessedEventId, '01 02 00')).toBe('00');
    expect(await bench.answer(getLastProcessedEventId)).toBe('00 00 00 00 00 02 00 01 00 02 00');
  });
});
