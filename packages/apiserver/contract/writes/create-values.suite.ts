import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';
import { answerOf, writeScene, type Body } from './write-scene.ts';

const harness = await cluster();
const { http } = harness;
const { configMaps, widgets, within } = writeScene(harness);

beforeAll(async () => {
  await http('POST', within('serviceaccounts'), { body: { metadata: { name: 'default' } } });
});
const dry = async (path: string, body: unknown) => await http('POST', `${path}?dryRun=All`, { body });
const podOf = (spec: object) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a' },
  spec: { serviceAccountName: 'default', containers: [{ name: 'a', image: 'b' }], ...spec },
});
const container = (more: object) => ({ containers: [{ name: 'a', image: 'b', ...more }] });

describe('a value of another type than the field’s, of a built-in kind', () => {
  it.each<[object, string]>([
    [{ containers: 'x' }, 'string into Go struct field PodSpec.spec.containers of type []v1.Container'],
    [{ containers: ['x'] }, 'string into Go struct field PodSpec.spec.containers of type v1.Container'],
    [{ containers: [{ name: 3 }] }, 'number into Go struct field Container.spec.containers.name of type string'],
    [
      container({ env: [{ name: 'x', value: 3 }] }),
      'number into Go struct field EnvVar.spec.containers.env.value of type string',
    ],
    [
      container({ ports: [{ containerPort: 1.5 }] }),
      'number 1.5 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
    ],
    [
      container({ ports: [{ containerPort: 1e12 }] }),
      'number 1000000000000 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
    ],
    [{ hostNetwork: 'x' }, 'string into Go struct field PodSpec.spec.hostNetwork of type bool'],
    [{ nodeSelector: { a: 1 } }, 'number into Go struct field PodSpec.spec.nodeSelector of type string'],
    [{ nodeSelector: 'a' }, 'string into Go struct field PodSpec.spec.nodeSelector of type map[string]string'],
    [{ securityContext: 3 }, 'number into Go struct field PodSpec.spec.securityContext of type v1.PodSecurityContext'],
    [
      container({ livenessProbe: { httpGet: { port: true } } }),
      'bool into Go struct field HTTPGetAction.spec.containers.livenessProbe.httpGet.port of type int32',
    ],
  ])('is refused: %j', async (spec, what) => {
    expect(answerOf(await dry(within('pods'), podOf(spec)))).toEqual(
      refusal(400, 'BadRequest', `Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal ${what}`),
    );
  });

  it.each<[object, string]>([
    [{ data: { a: 3 } }, 'json: cannot unmarshal number into Go struct field ConfigMap.data of type string'],
    [{ data: 'x' }, 'json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string'],
    [{ immutable: 'x' }, 'json: cannot unmarshal string into Go struct field ConfigMap.immutable of type bool'],
    [{ binaryData: { a: '!!' } }, 'illegal base64 data at input byte 0'],
    [{ binaryData: { a: 'YQ' } }, 'illegal base64 data at input byte 0'],
    [
      { binaryData: { a: 3 } },
      'json: cannot unmarshal number into Go struct field ConfigMap.binaryData of type []uint8',
    ],
  ])('is refused: %j', async (values, problem) => {
    expect(answerOf(await dry(configMaps.path(), { ...configMaps.object('a'), ...values }))).toEqual(
      refusal(400, 'BadRequest', `ConfigMap in version "v1" cannot be handled as a ConfigMap: ${problem}`),
    );
  });
});

describe('values of a built-in kind', () => {
  it('that say nothing are left out', async () => {
    const { body } = await dry(
      within('pods'),
      podOf({
        hostNetwork: false,
        nodeSelector: {},
        tolerations: [],
        volumes: [],
        hostname: '',
        terminationGracePeriodSeconds: 0,
        securityContext: { supplementalGroups: [] },
        ...container({
          command: [],
          env: [{ name: 'X', value: '' }],
          resources: { limits: {} },
          stdin: false,
          securityContext: {},
        }),
      }),
    );
    expect((body as Body).spec).toEqual({
      serviceAccountName: 'default',
      serviceAccount: 'default',
      containers: [
        {
          name: 'a',
          image: 'b',
          env: [{ name: 'X' }],
          resources: {},
          securityContext: {},
          imagePullPolicy: 'Always',
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 0,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      schedulerName: 'default-scheduler',
      enableServiceLinks: true,
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
      tolerations: ['not-ready', 'unreachable'].map((key) => ({
        key: `node.kubernetes.io/${key}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
    });
  });

  it('that are null are empty, or left out', async () => {
    const values = { data: { a: null }, binaryData: { b: null }, immutable: null };
    const { body } = await dry(configMaps.path(), { ...configMaps.object('a'), ...values });
    expect(body).toMatchObject({ data: { a: '' }, binaryData: { b: '' } });
    expect(body).not.toHaveProperty('immutable');
  });

  it('that are quantities are written in one way', async () => {
    const resources = {
      requests: { cpu: '0.5', memory: '1024Mi' },
      limits: { cpu: '1000m', memory: '1.5Gi' },
    };
    const canonical = {
      requests: { cpu: '500m', memory: '1Gi' },
      limits: { cpu: '1', memory: '1536Mi' },
    };
    expect(await dry(within('pods'), podOf(container({ resources })))).toMatchObject({
      body: { spec: { containers: [{ resources: canonical }] }, status: { qosClass: 'Burstable' } },
    });
    const numbers = { limits: { cpu: 0.5, memory: 1_000_000 } };
    expect(await dry(within('pods'), podOf(container({ resources: numbers })))).toMatchObject({
      body: {
        spec: {
          containers: [
            { resources: { limits: { cpu: '500m', memory: '1M' }, requests: { cpu: '500m', memory: '1M' } } },
          ],
        },
        status: { qosClass: 'Guaranteed' },
      },
    });
    expect(answerOf(await dry(within('pods'), podOf(container({ resources: { limits: { cpu: 'x' } } }))))).toEqual(
      refusal(
        400,
        'BadRequest',
        `Pod in version "v1" cannot be handled as a Pod: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`,
      ),
    );
  });
});

describe('values of a custom kind', () => {
  const specOf = async (spec: unknown) => {
    const { status, body } = await dry(widgets.path(), widgets.object('a', spec as Record<string, unknown>));
    expect(status).toBe(201);
    return (body as Body).spec;
  };

  it('that say nothing are kept', async () => {
    const empty = { text: '', number: 0, flag: false, list: [], map: {}, pair: {}, entries: [] };
    expect(await specOf(empty)).toEqual({ preset: 'p', ...empty });
  });

  it('that are null are left out, unless they may be', async () => {
    expect(
      await specOf({
        text: null,
        preset: null,
        nullable: null,
        map: { a: null },
        free: { a: null },
        pair: { a: null },
        entries: [{ name: 'a', value: null, preset: null }],
      }),
    ).toEqual({
      preset: 'p',
      nullable: null,
      map: {},
      free: { a: null },
      pair: {},
      entries: [{ name: 'a', preset: 'q' }],
    });
  });

  it('that are null in lists are wrong', async () => {
    const wrong = (field: string) => ({
      field,
      reason: 'FieldValueTypeInvalid',
      message: `Invalid value: "null": ${field} in body must be of type string: "null"`,
    });
    expect(answerOf(await dry(widgets.path(), widgets.object('a', { list: [null] })))).toEqual(
      widgets.invalid('a', wrong('spec.list[0]')),
    );
  });

  it('that are numbers are whole or not by what they are, not by how they are written', async () => {
    const path = `${widgets.path()}?dryRun=All`;
    const send = async (text: string) =>
      await http('POST', path, {
        body: `{"apiVersion":"${widgets.apiVersion}","kind":"Widget","metadata":{"name":"a"},"spec":${text}}`,
      });
    expect(await send('{"number":1.0,"free":{"a":1e3,"b":-0,"c":0.1e1,"d":1e21,"e":1e-7}}')).toMatchObject({
      status: 201,
      body: { spec: { number: 1, free: { a: 1000, b: 0, c: 1, d: 1e21, e: 1e-7 } } },
    });
    const message = 'Invalid value: "number": spec.number in body must be of type integer: "number"';
    expect(answerOf(await send('{"number":1.5}'))).toEqual(
      widgets.invalid('a', { field: 'spec.number', reason: 'FieldValueTypeInvalid', message }),
    );
  });

  it('that are text are any Unicode', async () => {
    expect(await specOf({ text: 'ä\u2028<>&\u0007🙂' })).toMatchObject({ text: 'ä\u2028<>&\u0007🙂' });
  });

  it('as a whole may be missing', async () => {
    for (const body of [widgets.object('a'), { ...widgets.object('a'), spec: null }]) {
      const answer = await dry(widgets.path(), body);
      expect(answer.status).toBe(201);
      expect(answer.body).not.toHaveProperty('spec');
    }
  });
});
