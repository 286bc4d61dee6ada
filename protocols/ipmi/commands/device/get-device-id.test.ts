import { describe, expect, it } from 'vitest';
import { commandBench } from '../../testing/run-command.ts';
import { encodeDeviceId, getDeviceId } from './get-device-id.ts';

describe('Get Device ID', () => {
  it('encodes the firmware revision in BCD, IPMI 2.0 and the device data', async () => {
    expect(await commandBench().answer(getDeviceId)).toBe('00 20 01 01 23 02 8f 00 00 00 00 00 00 00 00 00');
  });

  it('supports all vendor-defined fields', () => {
    const info = {
      deviceId: 1,
      deviceRevision: 2,
      firmware: { major: 127, minor: 99 },
      manufacturerId: 0x0f1234,
      productId: 0xabcd,
      auxiliaryFirmwareRevision: Buffer.from('01020304', 'hex'),
    };
    expect(encodeDeviceId(info).toString('hex')).toBe('01027f99028f3412' + '0fcdab01020304');
  });
});
