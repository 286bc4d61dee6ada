import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../objects.ts';
import { Correlator } from './correlator.ts';

const vm: KubeObject = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name: 'vm', uid: 'u' } };

describe('Correlator', () => {
  it('gives the first ten messages of an object and reason separate keys, and all others one shared key', () => {
    const correlator = new Correlator();
    const keys = Array.from({ length: 30 }, (_, i) => correlator.correlate(vm, 'Normal', 'PowerOn', `${i}`, 0).key);
    expect(new Set(keys.slice(0, 10)).size).toBe(10);
    expect(new Set(keys.slice(10)).size).toBe(1);
  });

  it('uses no token for a known message', () => {
    const correlator = new Correlator();
    const keys = Array.from({ length: 100 }, () => correlator.correlate(vm, 'Normal', 'PowerOn', 'again', 0).key);
    expect(new Set(keys).size).toBe(1);
    expect(correlator.correlate(vm, 'Normal', 'PowerOn', 'another', 0).message).toBe('another');
  });

  it('separates reasons and objects', () => {
    const correlator = new Correlator();
    for (let i = 0; i < 30; i += 1) correlator.correlate(vm, 'Warning', 'LoginFailed', `${i}`, 0);
    const other = { ...vm, metadata: { name: 'other' } };
    expect(correlator.correlate(vm, 'Normal', 'PowerOn', 'x', 0).message).toBe('x');
    expect(correlator.correlate(other, 'Warning', 'LoginFailed', 'x', 0).message).toBe('x');
    expect(correlator.correlate(vm, 'Warning', 'LoginFailed', 'x', 0).message).toBe(
      '(combined from similar events): x',
    );
  });

  it('combines all messages if too many series are pending, and uses no token', () => {
    const correlator = new Correlator();
    for (let i = 0; i < 30; i += 1) {
      const { message } = correlator.correlate(vm, 'Normal', 'PowerOn', `${i}`, 0, true);
      expect(message).toBe(`(combined from similar events): ${i}`);
    }
    expect(correlator.correlate(vm, 'Normal', 'PowerOn', 'x', 0).message).toBe('x');
  });
});
