const GROUP = 'subresources.kubevirt.io';
const GROUP_VERSION = `${GROUP}/v1`;

/** What the server serves of KubeVirt's subresources, as `APIResourceList` names it. */
const SUBRESOURCES = [
  'virtualmachines/start',
  'virtualmachines/stop',
  'virtualmachines/restart',
  'virtualmachineinstances/pause',
  'virtualmachineinstances/unpause',
  'virtualmachineinstances/softreboot',
  'virtualmachineinstances/reset',
] as const;

const GROUP_DOCUMENT = {
  kind: 'APIGroup',
  apiVersion: 'v1',
  name: GROUP,
  versions: [{ groupVersion: GROUP_VERSION, version: 'v1' }],
  preferredVersion: { groupVersion: GROUP_VERSION, version: 'v1' },
};

/** The documents that say what there is, and which KubeVirt this is, by path. */
export const DISCOVERY: Readonly<Record<string, unknown>> = {
  '/': { paths: ['/apis', `/apis/${GROUP}`, `/apis/${GROUP_VERSION}`, '/healthz'] },
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [GROUP_DOCUMENT] },
  [`/apis/${GROUP}`]: GROUP_DOCUMENT,
  [`/apis/${GROUP_VERSION}`]: {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: GROUP_VERSION,
    resources: SUBRESOURCES.map((name) => ({ name, singularName: '', namespaced: true, kind: '', verbs: null })),
  },
  [`/apis/${GROUP_VERSION}/version`]: {
    gitVersion: 'v1.8.4',
    gitCommit: 'dfaa398f086692d19e01be21d83a01036e07815f',
    gitTreeState: 'clean',
    buildDate: '',
    goVersion: '',
    compiler: 'node',
    platform: 'sandbox',
  },
  [`/apis/${GROUP_VERSION}/healthz`]: { apiserver: { connectivity: 'ok' } },
  '/healthz': { apiserver: { connectivity: 'ok' } },
};
