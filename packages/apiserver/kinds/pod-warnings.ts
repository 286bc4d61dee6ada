import { arrayOr, at, isObject, objectOr, textOr, type JsonObject } from '../json.ts';

interface Port {
  readonly field: string;
  readonly port: JsonObject;
}

/** What kube-apiserver takes in a pod's spec and warns of: what is said twice of containers. `path`: of the spec. */
export function podWarnings(spec: JsonObject, path: string): string[] {
  const ports = containers(spec, path).flatMap(([container, field]) =>
    arrayOr(container['ports'])
      .filter(isObject)
      .map((port, index): Port => ({ field: `${field}.ports[${index}]`, port })),
  );
  return [
    ...containers(spec, path).flatMap(([container, field]) => hiddenVariables(container, field)),
    ...repeatedPorts(ports),
    ...repeatedNames(ports),
  ];
}

function containers(spec: JsonObject, path: string): [JsonObject, string][] {
  return ['initContainers', 'containers'].flatMap((list) =>
    arrayOr(spec[list]).map((container, index): [JsonObject, string] => [
      objectOr(container),
      `${path}.${list}[${index}]`,
    ]),
  );
}

/** A variable may only be set again to something that it is part of. */
function hiddenVariables(container: JsonObject, path: string): string[] {
  const names = new Set<string>();
  return arrayOr(container['env']).flatMap((variable, index) => {
    const name = textOr(at(variable, 'name'));
    const value = textOr(at(variable, 'value'));
    const isNew = !names.has(name);
    names.add(name);
    const own = `$(${name})`;
    if (isNew || (value.includes(own) && value !== own)) return [];
    return [
      `${path}.env[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ];
  });
}

function repeatedPorts(ports: readonly Port[]): string[] {
  return ports.flatMap(({ field, port }, index) =>
    ports.slice(0, index).flatMap((other) => {
      if (port['containerPort'] !== other.port['containerPort'] || port['protocol'] !== other.port['protocol'])
        return [];
      const problem = clashOf(port, other.port);
      return problem === undefined ? [] : [`${field}: ${problem} port definition with ${other.field}`];
    }),
  );
}

function clashOf(one: JsonObject, other: JsonObject): string | undefined {
  const isSamePort = one['hostPort'] === other['hostPort'];
  if (isSamePort && one['hostIP'] === other['hostIP']) return 'duplicate';
  if (one['hostPort'] === undefined || other['hostPort'] === undefined) return 'overlapping';
  const isAnywhere = one['hostIP'] === undefined || other['hostIP'] === undefined;
  return isSamePort && isAnywhere ? 'dangerously ambiguous' : undefined;
}

function repeatedNames(ports: readonly Port[]): string[] {
  const fields = new Map<string, string>();
  return ports.flatMap(({ field, port }) => {
    const name = textOr(port['name']);
    const other = fields.get(name);
    if (name === '') return [];
    if (other === undefined) {
      fields.set(name, field);
      return [];
    }
    const rest = `services and probes that select ports by name will use ${other}`;
    return [`${field}: duplicate port name ${JSON.stringify(name)} with ${other}, ${rest}`];
  });
}
