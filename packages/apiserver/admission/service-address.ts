import { arrayOr, at, textOr } from '../json.ts';
import type { Store } from '../store/index.ts';

export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/** Where a Service is reached from kube-apiserver: its cluster IP. Throws an Error in kube-apiserver's words. */
export function serviceAddress(
  store: Store,
  { namespace, name, port }: { namespace: string; name: string; port: number },
): ServiceAddress {
  const service = store.collection('/services').get(`${namespace}/${name}`)?.object;
  if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  if (at(service, 'spec', 'type') === 'ExternalName')
    return { host: textOr(at(service, 'spec', 'externalName')), port };
  const host = textOr(at(service, 'spec', 'clusterIP'));
  if (host === 'None') throw new Error('cannot route to service with ClusterIP "None"');
  if (!arrayOr(at(service, 'spec', 'ports')).some((item) => at(item, 'port') === port))
    throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
  return { host, port };
}
