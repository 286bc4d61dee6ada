import type { Pod } from '@groundcrew/controller-runtime';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  ContainerConfigError,
  expandVariables,
  findImage,
  launchOf,
  makeVolumes,
  translateMount,
  type Container,
} from './launch.ts';

const POD: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-0', namespace: 'default' },
  spec: { containers: [] },
};
const VOLUMES = new Map([['data', '/pods/u1/volumes/data']]);
const volumeMounts = [{ name: 'data', mountPath: '/data' }];

function launch(container: Partial<Container>) {
  return launchOf({
    pod: POD,
    container: { name: 'c', ...container },
    image: { command: ['program', 'agent'], environment: { BASE: 'b' } },
    podIp: '127.64.0.1',
    apiServer: { host: '127.0.0.1', port: 6443 },
    serviceAccountDirectory: undefined,
    volumes: VOLUMES,
  });
}

const field = (fieldPath: string) => [{ name: 'X', valueFrom: { fieldRef: { fieldPath } } }];

describe('the program of a container', () => {
  it('has the arguments of the image and of the container', () => {
    const { command } = launch({ env: field('metadata.name'), args: ['--name=$(X)', '/data/leases'], volumeMounts });
    expect(command).toEqual(['program', 'agent', '--name=web-0', '/pods/u1/volumes/data/leases']);
  });

  it.each([
    ['metadata.name', 'web-0'],
    ['metadata.namespace', 'default'],
    ['status.podIPs', '127.64.0.1'],
  ])('has the field %s of the pod', (fieldPath, expected) => {
    expect(launch({ env: field(fieldPath) }).environment).toMatchObject({
      X: expected,
      KUBERNETES_SERVICE_PORT: '6443',
    });
  });

  it('can use variables that are set before', () => {
    const env = [
      { name: 'A', value: '1' },
      { name: 'ALL', value: '$(BASE)$(A)$(LATER)' },
      { name: 'LATER', value: '2' },
    ];
    expect(launch({ env }).environment).toMatchObject({ ALL: 'b1$(LATER)' });
  });

  it.each([
    ['an unknown field', field('spec.magic')],
    ['a Secret', [{ name: 'X', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }]],
  ])('is not started with a variable from %s', (_what, env) => {
    expect(() => launch({ env })).toThrow(ContainerConfigError);
  });
});

it.each([
  ['--namespace=$(NAMESPACE)', '--namespace=default'],
  ['$(NAMESPACE)/$(NAME)', 'default/web-0'],
  ['$(NONE)', '$(NONE)'],
  ['$$(NAME)', '$(NAME)'],
  ['$(toString)', '$(toString)'],
])('expands variables in %s', (text, expected) => {
  expect(expandVariables(text, { NAMESPACE: 'default', NAME: 'web-0' })).toBe(expected);
});

it.each([
  ['/data', '/pods/u1/volumes/data'],
  ['/database', '/database'],
  ['/var/data', '/var/data'],
])('translates the mount in %s', (text, expected) => {
  expect(translateMount(text, { name: 'c', volumeMounts }, VOLUMES)).toBe(expected);
});

it('has a folder for each emptyDir, none for the volume of its token, and no other volumes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-volumes-'));
  const token = { name: 'kube-api-access-x', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' };
  const containers = [{ name: 'c', volumeMounts: [...volumeMounts, token] }];
  const pod = (...names: string[]): Pod => {
    const others = names.map((name) => ({ name }));
    return { ...POD, spec: { containers, volumes: [{ name: 'data', emptyDir: {} }, ...others] } };
  };
  expect([...(await makeVolumes(pod(token.name), folder))]).toEqual([['data', join(folder, 'data')]]);
  expect(readdirSync(folder)).toEqual(['data']);
  await expect(makeVolumes(pod('config'), folder)).rejects.toThrow('volume config is no emptyDir');
  rmSync(folder, { recursive: true });
});

describe('an image', () => {
  const images = { groundcrew: { command: ['a'] }, 'registry:5000/x/tool:v2': { command: ['b'] } };

  it.each([
    ['groundcrew:0.1.0', 'a'],
    ['groundcrew@sha256:00', 'a'],
    ['registry:5000/x/tool:v2', 'b'],
    ['registry:5000/x/tool:v1', undefined],
    ['toString', undefined],
  ])('is found by its reference %s', (reference, expected) => {
    expect(findImage(images, reference)?.command[0]).toBe(expected);
  });
});
