import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { aTemplate } from '../testing/builders.ts';
import { interfacesOf } from './interfaces.ts';

describe('the interfaces of an instance', () => {
  it('have the MAC that the template names', () => {
    const { spec } = aTemplate({ interface: { macAddress: '02:00:00:00:00:0a' } });
    expect(interfacesOf(spec, randomBytes)[0]?.mac).toBe('02:00:00:00:00:0a');
  });

  it('have one made up for this instance alone where it names none', () => {
    const { spec } = aTemplate();
    const [first] = interfacesOf(spec, randomBytes);
    const [second] = interfacesOf(spec, randomBytes);
    expect(first?.mac).toMatch(/^52:54:00(:[0-9a-f]{2}){3}$/);
    expect(second?.mac).not.toBe(first?.mac);
  });

  it('have an address on the pod network alone', () => {
    const { spec } = aTemplate();
    expect(interfacesOf(spec, randomBytes)[0]?.ipAddress).toMatch(/^10\.88\./);
    const elsewhere = { ...spec, networks: [{ name: 'default', multus: { networkName: 'pxe' } }] };
    expect(interfacesOf(elsewhere, randomBytes)[0]?.ipAddress).toBeUndefined();
  });
});
