import { describe, expect, it } from 'vitest';
import { advertisedPortOf } from './network-of.ts';

const spec = { virtualMachineRef: { name: 'a' } };

describe('the port in Activate Payload', () => {
  it.each([
    [
      'the owner says',
      { spec: { ...spec, ipmi: { advertisedPort: 6230 } }, status: { endpoints: { ipmi: 'a:7' } } },
      6230,
    ],
    ['a node port', { spec, status: { endpoints: { ipmi: '192.0.2.7:30623' } } }, 30_623],
    ['IPv6', { spec, status: { endpoints: { ipmi: '[2001:db8::7]:623' } } }, 623],
    ['none is known', { spec }, 1],
    ['it has no endpoint', { spec, status: { endpoints: {} } }, 1],
    ['nonsense', { spec, status: { endpoints: { ipmi: 'a:70000' } } }, 1],
  ])('is right if %s', (_name, bmc, port) => {
    expect(advertisedPortOf(bmc, 1)).toBe(port);
  });
});
