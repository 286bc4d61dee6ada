import { describe, expect, it } from 'vitest';
import { aVirtualMachine } from '../virtualmachine/testing/builders.ts';
import { interfaceNameOf } from './holder.ts';

const MAC = '52:54:00:00:00:01';

describe('the name of an interface', () => {
  it('is that of the interface with the MAC address on the network', () => {
    const vm = aVirtualMachine({ 'a@prod': '52:54:00:00:00:02', 'b@default/prod': '52-54-00-00-00-01' });
    expect(interfaceNameOf(vm, 'default/prod', MAC)).toBe('b');
  });

  it('is that of the only interface without a MAC address; undefined for two of them', () => {
    const nameIn = (...nics: string[]) =>
      interfaceNameOf(aVirtualMachine(Object.fromEntries(nics.map((nic) => [nic, undefined]))), 'default/prod', MAC);
    expect([nameIn('a@prod'), nameIn('a@prod', 'b@prod'), nameIn('a@test')]).toEqual(['a', undefined, undefined]);
  });
});
