import type { Pod, Secret } from '@groundcrew/controller-runtime';
import { describe, expect, it } from 'vitest';
import { ContainerConfigError, environmentOf, expandVariables, type Container } from './environment.ts';

const POD: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-0', namespace: 'default', uid: 'u1', labels: { app: 'web' } },
  spec: { nodeName: 'sandbox', serviceAccountName: 'web', containers: [] },
};
const SECRET: Secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'creds' }, data: { user: 'YWRtaW4=' } };

function environment(env: NonNullable<Container['env']>): Record<string, string> {
  return environmentOf({
    pod: POD,
    container: { name: 'c', env },
    podIp: '127.64.0.1',
    hostIp: '127.0.0.1',
    base: { BASE: 'b' },
    secrets: new Map([['creds', SECRET]]),
    configMaps: new Map(),
  });
}

describe('the environment of a container', () => {
  it.each([
    ['metadata.name', 'web-0'],
    ['metadata.namespace', 'default'],
    ['metadata.uid', 'u1'],
    ["metadata.labels['app']", 'web'],
    ['spec.nodeName', 'sandbox'],
    ['spec.serviceAccountName', 'web'],
    ['status.podIP', '127.64.0.1'],
    ['status.podIPs', '127.64.0.1'],
    ['status.hostIP', '127.0.0.1'],
  ])('has the pod’s %s', (fieldPath, expected) => {
    expect(environment([{ name: 'X', valueFrom: { fieldRef: { fieldPath } } }])['X']).toBe(expected);
  });

  it('expands what stands before, and the base', () => {
    const { ALL } = environment([
      { name: 'A', value: '1' },
      { name: 'ALL', value: '$(BASE)$(A)$(LATER)' },
      { name: 'LATER', value: '2' },
    ]);
    expect(ALL).toBe('b1$(LATER)');
  });

  it('has keys of Secrets', () => {
    expect(environment([{ name: 'U', valueFrom: { secretKeyRef: { name: 'creds', key: 'user' } } }])['U']).toBe(
      'admin',
    );
  });

  it('goes without what is optional, and refuses to start without what is not', () => {
    const of = (optional: boolean) =>
      environment([{ name: 'U', valueFrom: { secretKeyRef: { name: 'creds', key: 'none', optional } } }]);
    expect(of(true)).toEqual({ BASE: 'b' });
    expect(() => of(false)).toThrow(new ContainerConfigError("couldn't find key none in secret creds"));
  });

  it('refuses a field that it does not know', () => {
    expect(() => environment([{ name: 'X', valueFrom: { fieldRef: { fieldPath: 'spec.magic' } } }])).toThrow(
      ContainerConfigError,
    );
  });
});

describe('variables in arguments', () => {
  it.each([
    ['--namespace=$(POD_NAMESPACE)', '--namespace=default'],
    ['$(POD_NAMESPACE)/$(POD_NAME)', 'default/web-0'],
    ['$(NOT_THERE)', '$(NOT_THERE)'],
    ['$$(POD_NAME)', '$(POD_NAME)'],
    ['$POD_NAME', '$POD_NAME'],
    ['$(toString)', '$(toString)'],
    ['', ''],
  ])('%s', (text, expected) => {
    expect(expandVariables(text, { POD_NAMESPACE: 'default', POD_NAME: 'web-0' })).toBe(expected);
  });
});
