const GROUP = 'subresources.kubevirt.io';
/** The same in each; the first is preferred (`SubresourceGroupVersions`). */
export const SUBRESOURCE_VERSIONS = ['v1', 'v1alpha3'] as const;
const GROUP_VERSIONS = SUBRESOURCE_VERSIONS.map((version) => ({ groupVersion: `${GROUP}/${version}`, version }));

/** What the server serves of KubeVirt's subresources, as `APIResourceList` names it. */
const SUBRESOURCES = [
  'virtualmachines/start',
  'virtualmachines/stop',
  'virtualmachines/restart',
  'virtualmachines/migrate',
  'virtualmachines/expand-spec',
  'virtualmachines/addvolume',
  'virtualmachines/removevolume',
  'virtualmachineinstances/pause',
  'virtualmachineinstances/unpause',
  'virtualmachineinstances/softreboot',
  'virtualmachineinstances/reset',
  'virtualmachineinstances/guestosinfo',
  'virtualmachineinstances/console',
  'virtualmachineinstances/addvolume',
  'virtualmachineinstances/removevolume',
] as const;

const GROUP_DOCUMENT = {
  kind: 'APIGroup',
  apiVersion: 'v1',
  name: GROUP,
  versions: GROUP_VERSIONS,
  preferredVersion: GROUP_VERSIONS[0],
};

/** The documents that say what there is, and which KubeVirt this is, by path. */
export const DISCOVERY: Readonly<Record<string, unknown>> = {
  '/': {
    paths: [
      '/apis',
      `/apis/${GROUP}`,
      ...GROUP_VERSIONS.map(({ groupVersion }) => `/apis/${groupVersion}`),
      '/healthz',
    ],
  },
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [GROUP_DOCUMENT] },
  [`/apis/${GROUP}`]: GROUP_DOCUMENT,
  ...Object.fromEntries(GROUP_VERSIONS.flatMap(({ groupVersion }) => documentsOf(groupVersion))),
  '/healthz': { apiserver: { connectivity: 'ok' } },
};

function documentsOf(groupVersion: string): [path: string, document: unknown][] {
  const resources = SUBRESOURCES.map((name) => ({ name, singularName: '', namespaced: true, kind: '', verbs: null }));
  return [
    [`/apis/${groupVersion}`, { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources }],
    [
      `/apis/${groupVersion}/version`,
      {
        gitVersion: 'v1.8.4',
        gitCommit: 'dfaa398f086692d19e01be21d83a01036e07815f',
        gitTreeState: 'clean',
        buildDate: '',
        goVersion: '',
        compiler: 'node',
        platform: 'sandbox',
      },
    ],
    [`/apis/${groupVersion}/healthz`, { apiserver: { connectivity: 'ok' } }],
  ];
}
