import { arrayOr, at, isObject, objectOr, textOr, type Json, type JsonObject } from '../json.ts';

/** Sets the defaults of a PodSpec, like k8s.io/kubernetes/pkg/apis/core/v1/defaults.go. */
export function setPodSpecDefaults(spec: JsonObject): void {
  spec['restartPolicy'] ??= 'Always';
  spec['terminationGracePeriodSeconds'] ??= 30;
  spec['dnsPolicy'] ??= 'ClusterFirst';
  spec['securityContext'] ??= {};
  spec['schedulerName'] ??= 'default-scheduler';
  const account = spec['serviceAccountName'] ?? spec['serviceAccount'];
  if (account !== undefined) Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
  for (const container of [...arrayOr(spec['initContainers']), ...arrayOr(spec['containers'])]) {
    if (isObject(container)) setContainerDefaults(container);
  }
  for (const volume of arrayOr(spec['volumes'])) if (isObject(volume)) setVolumeDefaults(volume);
}

/** Sets the resource requests of containers to their limits by default. Applies to Pods, not to templates. */
export function setRequests(spec: JsonObject): void {
  for (const container of [...arrayOr(spec['initContainers']), ...arrayOr(spec['containers'])]) {
    const resources = objectOr(at(container, 'resources'));
    const limits = objectOr(resources['limits']);
    if (Object.keys(limits).length > 0) resources['requests'] = { ...limits, ...objectOr(resources['requests']) };
  }
}

/** Sets the host ports of a Pod with `hostNetwork: true`. */
export function setHostPorts(spec: JsonObject): void {
  if (spec['hostNetwork'] !== true) return;
  for (const container of [...arrayOr(spec['initContainers']), ...arrayOr(spec['containers'])]) {
    for (const port of arrayOr(at(container, 'ports'))) if (isObject(port)) port['hostPort'] ??= port['containerPort'];
  }
}

function setContainerDefaults(container: JsonObject): void {
  const image = textOr(container['image']);
  const tag = /:([^:/@]+)$/.exec(image)?.[1];
  container['imagePullPolicy'] ??=
    image === '' || image.includes('@') || (tag !== undefined && tag !== 'latest') ? 'IfNotPresent' : 'Always';
  container['terminationMessagePath'] ??= '/dev/termination-log';
  container['terminationMessagePolicy'] ??= 'File';
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) setProbeDefaults(container[probe]);
  for (const variable of arrayOr(container['env'])) setFieldRefDefaults(at(variable, 'valueFrom', 'fieldRef'));
  for (const hook of ['postStart', 'preStop']) setHttpDefaults(at(container, 'lifecycle', hook, 'httpGet'));
}

function setProbeDefaults(probe: Json | undefined): void {
  if (!isObject(probe)) return;
  for (const [key, value] of Object.entries({
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  })) {
    if (probe[key] === undefined || probe[key] === 0) probe[key] = value;
  }
  setHttpDefaults(probe['httpGet']);
}

function setHttpDefaults(http: Json | undefined): void {
  if (!isObject(http)) return;
  http['path'] ??= '/';
  http['scheme'] ??= 'HTTP';
}

function setFieldRefDefaults(reference: Json | undefined): void {
  if (isObject(reference)) reference['apiVersion'] ??= 'v1';
}

function setVolumeDefaults(volume: JsonObject): void {
  if (Object.keys(volume).length === 1) volume['emptyDir'] = {};
  for (const source of ['secret', 'configMap', 'downwardAPI', 'projected']) {
    const value = volume[source];
    if (isObject(value)) value['defaultMode'] ??= 420;
  }
  for (const item of arrayOr(at(volume, 'downwardAPI', 'items'))) setFieldRefDefaults(at(item, 'fieldRef'));
  for (const source of arrayOr(at(volume, 'projected', 'sources'))) {
    const token = at(source, 'serviceAccountToken');
    if (isObject(token)) token['expirationSeconds'] ??= 3600;
    for (const item of arrayOr(at(source, 'downwardAPI', 'items'))) setFieldRefDefaults(at(item, 'fieldRef'));
  }
}
