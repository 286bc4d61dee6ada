import { expect, it } from 'vitest';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import type { BmcParts } from '../bmc-parts.ts';
import { serviceSwitch } from './service-switch.ts';

it('does not switch IPMI on with a password that would stop the whole BMC', async () => {
  const written: unknown[] = [];
  const data = { username: btoa('admin'), password: btoa('a password of 30 characters...') };
  const parts = {
    secrets: { name: 'a-secret', credentials: { object: { data } } },
    made: { newest: (secret: unknown) => secret },
    status: { switchServices: (spec: object) => Promise.resolve(void written.push(spec)) },
  };
  const change = serviceSwitch(parts as unknown as BmcParts, new FakeClock()); // what it uses
  const refusal = { code: 'InvalidState', message: expect.stringContaining('maximum of IPMI') as string };
  await expect(change({ ipmi: true })).rejects.toMatchObject(refusal);
  await change({ ipmi: false, http: true });
  expect(written).toEqual([{ ipmi: { enabled: false }, redfish: { http: { enabled: true } } }]);
});
