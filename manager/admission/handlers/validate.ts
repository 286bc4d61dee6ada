import {
  IP_LEASES,
  IP_POOLS,
  LABELS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  type IPPool,
  type VirtualMachineBMC,
  type VirtualMachineNetworkConfig,
} from '../../../api/index.ts';
import { NAMESPACES, type Kind, type KubeObject } from '@groundcrew/controller-runtime';
import type { AdmissionOptions } from '../options.ts';
import { BMC_RULES } from '../rules/bmc-rules.ts';
import { CONFIG_RULES } from '../rules/config-rules.ts';
import { inUse } from '../rules/pool-conflicts.ts';
import { evaluate, messageOf, type Rule, type FieldError } from '../rules/verdict.ts';
import { POOL_RULES } from '../rules/pool-rules.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../review.ts';
import { bmcInputs, configInputs, poolInputs, serviceRanges } from './inputs.ts';

const ALLOWED: AdmissionAnswer = { warnings: [] };

/** Evaluates a creation, change or deletion. The API server has already validated the object against its schema. */
export async function validate(request: AdmissionRequest, options: AdmissionOptions): Promise<AdmissionAnswer> {
  const { resource, operation, object, oldObject } = request;
  if (request.subResource !== undefined) return ALLOWED;
  if (operation === 'DELETE') return resource === IP_POOLS.plural ? await deletion(request, options) : ALLOWED;
  // An object that is being deleted is not validated.
  if (object === undefined || object.metadata.deletionTimestamp !== undefined) return ALLOWED;
  const old = operation === 'UPDATE' ? oldObject : undefined;
  const answer = written(request, object, old, await withServiceRanges(request, options));
  if (answer.refusal === undefined || operation === 'CREATE') return answer;
  return (await isTerminating(request.namespace, options)) ? ALLOWED : answer;
}

/** Adds the Service ranges on CREATE; a pool's network does not change later. */
async function withServiceRanges(
  { resource, operation }: AdmissionRequest,
  options: AdmissionOptions,
): Promise<AdmissionOptions> {
  if (resource !== IP_POOLS.plural || operation !== 'CREATE') return options;
  const ranges = await serviceRanges(options, inTime().signal);
  return { ...options, clusterRanges: [...(options.clusterRanges ?? []), ...ranges] };
}

/** The rules of each kind. The resource determines the type of the object, which the compiler cannot know. */
function written(
  { resource }: AdmissionRequest,
  object: KubeObject,
  old: KubeObject | undefined,
  options: AdmissionOptions,
): AdmissionAnswer {
  switch (resource) {
    case IP_POOLS.plural: {
      const pool = object as IPPool;
      return evaluated(IP_POOLS, POOL_RULES, pool, old as IPPool | undefined, poolInputs(pool, options));
    }
    case VIRTUAL_MACHINE_NETWORK_CONFIGS.plural: {
      const config = object as VirtualMachineNetworkConfig;
      const before = old as VirtualMachineNetworkConfig | undefined;
      return evaluated(VIRTUAL_MACHINE_NETWORK_CONFIGS, CONFIG_RULES, config, before, configInputs(config, options));
    }
    case VIRTUAL_MACHINE_BMCS.plural: {
      const bmc = object as VirtualMachineBMC;
      return evaluated(
        VIRTUAL_MACHINE_BMCS,
        BMC_RULES,
        bmc,
        old as VirtualMachineBMC | undefined,
        bmcInputs(bmc, options),
      );
    }
    default:
      return ALLOWED;
  }
}

/** An update returns only the errors and warnings that it introduces. */
function evaluated<T extends KubeObject, F>(
  kind: Kind<T>,
  rules: readonly Rule<T, F>[],
  object: T,
  old: T | undefined,
  inputs: F,
): AdmissionAnswer {
  const verdict = evaluate(rules, object, old, inputs);
  const before = old === undefined ? { errors: [], warnings: [] } : evaluate(rules, old, undefined, inputs);
  const known = new Set([...before.errors.map(messageOf), ...before.warnings]);
  const errors = verdict.errors.filter((error) => !known.has(messageOf(error)));
  const warnings = verdict.warnings.filter((warning) => !known.has(warning));
  if (errors.length === 0) return { warnings };
  return { refusal: refusalOf(subjectOf(kind, object.metadata.name), errors), warnings };
}

/** Leases are read from the server, not from a cache: a deletion cannot be undone. */
async function deletion(request: AdmissionRequest, options: AdmissionOptions): Promise<AdmissionAnswer> {
  const { namespace, name, oldObject } = request;
  if (oldObject === undefined || oldObject.metadata.deletionTimestamp !== undefined) return ALLOWED;
  const labelSelector = `${LABELS.ipPool}=${name},!${LABELS.released},!${LABELS.retained}`;
  const { items, metadata } = await options.client.list(IP_LEASES, {
    namespace,
    labelSelector,
    limit: 10,
    ...inTime(),
  });
  // The API server has read the object from its storage.
  const { errors = [] } = inUse(oldObject as IPPool, items, (metadata.continue ?? '') !== '');
  const [error] = errors;
  if (error === undefined || (await isTerminating(namespace, options))) return ALLOWED;
  return { refusal: forbiddance(subjectOf(IP_POOLS, name), error.detail), warnings: [] };
}

/** Whether the namespace is being deleted. */
async function isTerminating(name: string, { client }: AdmissionOptions): Promise<boolean> {
  const namespace = await client.find(NAMESPACES, { name }, inTime());
  return namespace === undefined || namespace.metadata.deletionTimestamp !== undefined;
}

/** API servers wait for 5 s. */
function inTime(): { signal: AbortSignal } {
  return { signal: AbortSignal.timeout(4_000) };
}

function subjectOf({ group, kind, plural }: Kind<KubeObject>, name: string): Subject {
  return { group, kind, resource: plural, name };
}

/** The object of a rejected request. */
interface Subject {
  group: string;
  kind: string;
  /** `ippools` */
  resource: string;
  name: string;
}

/** The Status of an invalid object, in the form that kube-apiserver uses. */
function refusalOf({ group, kind, name }: Subject, errors: readonly FieldError[]): AdmissionAnswer['refusal'] {
  const messages = errors.map(messageOf);
  const all = messages.length === 1 ? messages.join('') : `[${messages.join(', ')}]`;
  return {
    code: 422,
    reason: 'Invalid',
    message: `${kind}.${group} ${JSON.stringify(name)} is invalid: ${all}`,
    details: {
      name,
      group,
      kind,
      causes: errors.map(({ field, type, ...error }) => ({
        reason: `FieldValue${type}`,
        // The field is in a separate member.
        message: messageOf({ field, type, ...error }).slice(field.length + 2),
        field,
      })),
    },
  };
}

/** The Status of a forbidden operation. */
function forbiddance({ group, kind, resource, name }: Subject, why: string): AdmissionAnswer['refusal'] {
  return {
    code: 403,
    reason: 'Forbidden',
    message: `${resource}.${group} ${JSON.stringify(name)} is forbidden: ${why}`,
    details: { name, group, kind },
  };
}
