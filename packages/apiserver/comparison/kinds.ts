/** A kind that the random operations play with. */
export interface PlayedKind {
  name: 'ConfigMap' | 'Secret' | 'Deployment' | 'Service' | 'Pod' | 'Widget';
  apiVersion: string;
  plural: string;
  /** REST path up to the namespace, without a slash at its end. */
  root: string;
  /** Whether its status is a resource of its own. */
  status: boolean;
  /** The least that an object has beside its metadata. */
  least: object;
}

const podSpec = { containers: [{ name: 'one', image: 'image:1' }] };
const app = { app: 'one' };

/** `group`: of the custom kind, one for each run of the tests, since the real server is shared. */
export function playedKinds(group: string): readonly PlayedKind[] {
  const core = { apiVersion: 'v1', root: '/api/v1' };
  return [
    { ...core, name: 'ConfigMap', plural: 'configmaps', status: false, least: {} },
    { ...core, name: 'Secret', plural: 'secrets', status: false, least: {} },
    { ...core, name: 'Service', plural: 'services', status: true, least: { spec: { ports: [{ port: 80 }] } } },
    {
      ...core,
      name: 'Pod',
      plural: 'pods',
      status: true,
      least: { spec: { ...podSpec, serviceAccountName: 'default' } },
    },
    {
      name: 'Deployment',
      apiVersion: 'apps/v1',
      plural: 'deployments',
      root: '/apis/apps/v1',
      status: true,
      least: { spec: { selector: { matchLabels: app }, template: { metadata: { labels: app }, spec: podSpec } } },
    },
    {
      name: 'Widget',
      apiVersion: `${group}/v1`,
      plural: 'widgets',
      root: `/apis/${group}/v1`,
      status: true,
      least: { spec: {} },
    },
  ];
}
