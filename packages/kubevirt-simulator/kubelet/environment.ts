import type { ConfigMap, Pod, Secret } from '@groundcrew/controller-runtime';

export type Container = NonNullable<Pod['spec']>['containers'][number];

/** What a container's variables are made from. */
export interface EnvironmentSource {
  pod: Pod;
  container: Container;
  podIp: string;
  hostIp: string;
  /** Set before the container's own, which may use them. */
  base: Readonly<Record<string, string>>;
  /** Objects that `valueFrom` names, by name; undefined for one that is not there. */
  secrets: ReadonlyMap<string, Secret | undefined>;
  configMaps: ReadonlyMap<string, ConfigMap | undefined>;
}

/** kubelet's reason for not starting a container: something that it names is not there. */
export class ContainerConfigError extends Error {
  override readonly name = 'CreateContainerConfigError';
  readonly code = 'CreateContainerConfigError';
}

/**
 * The container's environment: values with `$(NAME)` of variables before them, fields of the pod, keys of Secrets
 * and ConfigMaps.
 *
 * @throws ContainerConfigError
 */
export function environmentOf(source: EnvironmentSource): Record<string, string> {
  const environment: Record<string, string> = { ...source.base };
  for (const variable of source.container.env ?? []) {
    const value =
      variable.valueFrom === undefined
        ? expandVariables(variable.value ?? '', environment)
        : valueFrom(variable.name, variable.valueFrom, source);
    if (value !== undefined) environment[variable.name] = value;
  }
  return environment;
}

type ValueFrom = NonNullable<NonNullable<Container['env']>[number]['valueFrom']>;

function valueFrom(variable: string, from: ValueFrom, source: EnvironmentSource): string | undefined {
  if (from.fieldRef !== undefined) return fieldOf(from.fieldRef.fieldPath, source);
  if (from.secretKeyRef !== undefined) {
    const { name = '', key, optional } = from.secretKeyRef;
    const value = source.secrets.get(name)?.data?.[key];
    if (value !== undefined) return Buffer.from(value, 'base64').toString('utf8');
    assertOptional('secret', name, key, optional);
    return undefined;
  }
  if (from.configMapKeyRef !== undefined) {
    const { name = '', key, optional } = from.configMapKeyRef;
    const value = source.configMaps.get(name)?.data?.[key];
    if (value === undefined) assertOptional('configmap', name, key, optional);
    return value;
  }
  throw new ContainerConfigError(
    `the sandbox's kubelet cannot fill variable ${variable}: use fieldRef, secretKeyRef or configMapKeyRef`,
  );
}

function assertOptional(kind: string, name: string, key: string, optional: boolean | undefined): void {
  if (optional !== true) throw new ContainerConfigError(`couldn't find key ${key} in ${kind} ${name}`);
}

const KEYED = /^metadata\.(labels|annotations)\['([^']+)'\]$/;

function fieldOf(path: string, { pod, podIp, hostIp }: EnvironmentSource): string {
  const { metadata, spec } = pod;
  const [, map, key] = KEYED.exec(path) ?? [];
  if (map !== undefined && key !== undefined) {
    return (map === 'labels' ? metadata.labels : metadata.annotations)?.[key] ?? '';
  }
  const fields: Record<string, string> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace ?? '',
    'metadata.uid': metadata.uid ?? '',
    'spec.nodeName': spec?.nodeName ?? '',
    'spec.serviceAccountName': spec?.serviceAccountName ?? 'default',
    'status.podIP': podIp,
    'status.podIPs': podIp,
    'status.hostIP': hostIp,
    'status.hostIPs': hostIp,
  };
  const value = fields[path];
  if (value === undefined) throw new ContainerConfigError(`the sandbox's kubelet knows no field ${path}`);
  return value;
}

/**
 * Replaces `$(NAME)` by the variable's value, as kubelet does in `args`, `command` and `env`: a name that is not
 * defined stays as it stands, and `$$` is a `$` that begins nothing.
 */
export function expandVariables(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\$|\$\(([^()]*)\)/g, (match, name: string | undefined) => {
    if (name === undefined) return '$';
    return Object.hasOwn(variables, name) ? (variables[name] ?? match) : match;
  });
}
