import { describe, expect, it } from 'vitest';
import { commandBench } from '../testing/run-command.ts';
import { COMMANDS } from './command-list.ts';
import { getDeviceId } from './device/get-device-id.ts';

/** Mandatory commands of a device, IPMI 2.0 appendix G, by its bit of Get Device ID; network function and command. */
const MANDATORY: readonly (readonly [device: string, bit: number, netFn: number, commands: readonly number[]])[] = [
  ['chassis device', 0x80, 0x00, [0x00, 0x01, 0x02]],
  ['FRU inventory device', 0x08, 0x0a, [0x10, 0x11, 0x12]],
  ['event log', 0x04, 0x0a, [0x40, 0x42, 0x43, 0x44, 0x47, 0x48, 0x49]],
  ['SDR repository', 0x02, 0x0a, [0x20, 0x22, 0x23, 0x24, 0x27, 0x28, 0x29]],
  ['sensor device', 0x01, 0x04, [0x2d]],
];
const ALL_DEVICES = 0xff;
/** Get PEF Capabilities has no bit of its own. */
const PEF = [0x10, 0x11, 0x12, 0x13, 0x14, 0x15];

function missing(netFn: number, commands: readonly number[]): readonly number[] {
  return commands.filter((number) => !COMMANDS.some((each) => each.netFn === netFn && each.command === number));
}

describe('an advertised device', () => {
  it('has all its mandatory commands', async () => {
    const { data } = await commandBench().run(getDeviceId, '');
    const devices = data.readUInt8(5);
    const lacking = MANDATORY.filter(
      ([, bit, netFn, commands]) => devices & bit && missing(netFn, commands).length > 0,
    );
    expect(lacking).toEqual([]);
    expect(devices & ~MANDATORY.reduce((bits, [, bit]) => bits | bit, 0) & ALL_DEVICES).toBe(0);
    expect(missing(0x04, PEF)).toEqual([]);
  });
});
