import { describe, expect, it } from 'vitest';
import { readMember, type VirtualMachineBMC } from '../../api/index.ts';
import type { Secret } from '@groundcrew/controller-runtime';
import { holdersOf, memberChanges, type Member } from './members.ts';

const aBmc = (name: string, created = '2026-01-01T00:00:00Z', uid = `uid-of-${name}`): VirtualMachineBMC => ({
  apiVersion: 'bmc.kubevirt.io/v1beta1',
  kind: 'VirtualMachineBMC',
  metadata: { name, namespace: 'vms', uid, creationTimestamp: created },
  spec: { virtualMachineRef: { name: 'web' } },
});
const aSecret = (data: Record<string, string>): Secret => ({
  ...{ apiVersion: 'v1', kind: 'Secret', data },
  metadata: { name: 'creds', namespace: 'vms', uid: 'u', resourceVersion: '7' },
});
const base64 = (text: string) => Buffer.from(text).toString('base64');
const DATA = { username: base64('admin'), password: base64('secret') };
const member = (fields: Partial<Member> = {}): Member => ({
  ...{ bmc: aBmc('a'), slot: 3, certificate: '9' },
  credentials: { state: 'Found', secret: aSecret({ ...DATA, 'tls.key': base64('x') }) },
  ...fields,
});
const textOf = (of: Member): Record<string, string> => memberChanges([of], {}) as Record<string, string>; // nothing is removed
const read = (text: string | null | undefined) => readMember(Buffer.from(text ?? '', 'base64').toString());

describe('the Secret of an agent', () => {
  it('has the slot, the credentials and the version of the certificate of each BMC, and no other keys', () => {
    expect(read(textOf(member())['a'])).toEqual({
      ...{ uid: 'uid-of-a', slot: 3, certificate: '9' },
      credentials: { name: 'creds', uid: 'u', resourceVersion: '7', data: DATA },
    });
  });

  it('is written only where it differs, and loses a BMC that is gone', () => {
    const before = { ...textOf(member()), gone: base64('{}') };
    expect(memberChanges([member()], before)).toEqual({ gone: null });
    expect(Object.keys(memberChanges([member({ certificate: '10' })], before))).toEqual(['gone', 'a']);
    expect(memberChanges([member()], textOf(member()))).toEqual({});
  });

  it('keeps the credentials of a BMC until they are read, and waits for those of a new one', () => {
    const unread = { credentials: { state: 'Unread' } } as const;
    expect(memberChanges([member(unread)], textOf(member()))).toEqual({});
    expect(memberChanges([member(unread)], {})).toEqual({});
    const another = member({ ...unread, bmc: aBmc('a', undefined, 'another') });
    expect(memberChanges([another], textOf(member()))).toEqual({ a: null });
  });

  it('has no credentials of a Secret that is missing, and only the name of one that would fill it', () => {
    const without = { uid: 'uid-of-a', slot: 3, certificate: '9' };
    expect(read(textOf(member({ credentials: { state: 'Missing' } }))['a'])).toEqual(without);
    const secret = aSecret({ ...DATA, password: base64('x'.repeat(1000)) });
    expect(read(textOf(member({ credentials: { state: 'Found', secret } }))['a'])).toEqual({
      ...without,
      credentials: { name: 'creds', uid: 'u', resourceVersion: '7' },
    });
  });
});

describe('a slot', () => {
  const claim = (name: string, slot: number, uid?: string) => ({
    ...{ agent: 'virtbmc-shared-0', slot, uid },
    bmc: { namespace: 'vms', name },
  });

  it('is that of the older of two BMCs', () => {
    const bmcs = [aBmc('a', '2026-01-02T00:00:00Z'), aBmc('b', '2026-01-01T00:00:00Z')];
    const find = ({ bmc: { name } }: { bmc: { name: string } }) => bmcs.find(({ metadata }) => metadata.name === name);
    expect(holdersOf([claim('a', 0), claim('b', 0)], find).map(({ bmc }) => bmc.metadata.name)).toEqual(['b']);
  });

  it('is not that of a BMC which is gone, or has replaced the one of the Service', () => {
    const find = () => aBmc('a');
    expect(holdersOf([claim('a', 0, 'earlier')], find)).toEqual([]);
    expect(holdersOf([claim('a', 0)], () => undefined)).toEqual([]);
    expect(holdersOf([claim('a', 0, 'uid-of-a')], find)).toHaveLength(1);
  });
});
