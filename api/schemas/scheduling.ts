import { z } from 'zod';
import { count, integer, localReference, objectName, quantity, stringMap, text, word } from './fields.ts';

/** Parts of core/v1 PodSpec that resources can set for their agents. */

export const imagePullSecrets = z
  .array(localReference('A Secret of type kubernetes.io/dockerconfigjson.', 'Name of the Secret.'))
  .max(16)
  .meta({ description: 'Secrets of the same namespace with which the image is pulled.' });

const quantities = (description: string) => z.record(z.string(), quantity()).meta({ description, maxProperties: 16 });

export const resources = z
  .object({
    requests: quantities('Resources that the scheduler reserves.').optional(),
    limits: quantities('Maximum resources of the container.').optional(),
  })
  .meta({ description: 'CPU and memory of the agent.' });

export const nodeSelector = stringMap(64, 63, 'Labels of the nodes that the agent may run on.');

export const tolerations = z
  .array(
    z
      .object({
        key: text(317, 'Key of the taint; absent with operator Exists: all taints.').optional(),
        operator: z.enum(['Exists', 'Equal']).meta({ description: 'Default: Equal.' }).optional(),
        value: text(63, 'Value of the taint, for operator Equal.').optional(),
        effect: z
          .enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])
          .meta({ description: 'Effect of the taint; absent: all effects.' })
          .optional(),
        tolerationSeconds: z
          .int()
          .meta({ description: 'How long a NoExecute taint is tolerated; absent: without limit.' })
          .optional(),
      })
      .meta({ description: 'A tolerated taint.' }),
  )
  .max(64)
  .meta({ description: 'Tolerated taints of nodes, as core/v1 Toleration.' });

const requirement = (operators: [string, ...string[]]) =>
  z
    .object({
      key: word(317, 'Key of the label.'),
      operator: z.enum(operators).meta({ description: 'Comparison of the values.' }),
      values: z.array(z.string().max(63)).max(64).meta({ description: 'Values to compare with.' }).optional(),
    })
    .meta({ description: 'A requirement on a label.' });

const requirements = (operators: [string, ...string[]], description: string) =>
  z.array(requirement(operators)).max(64).meta({ description });

const NODE_OPERATORS: [string, ...string[]] = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'];
const LABEL_OPERATORS: [string, ...string[]] = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

const nodeTerm = z
  .object({
    matchExpressions: requirements(NODE_OPERATORS, 'By labels of the node.').optional(),
    matchFields: requirements(NODE_OPERATORS, 'By fields of the node.').optional(),
  })
  .meta({ description: 'Nodes that meet all requirements.', 'x-kubernetes-map-type': 'atomic' });

const labelSelector = (description: string) =>
  z
    .object({
      matchLabels: stringMap(64, 63, 'Labels with their values.').optional(),
      matchExpressions: requirements(LABEL_OPERATORS, 'Further requirements.').optional(),
    })
    .meta({ description, 'x-kubernetes-map-type': 'atomic' });

const podTerm = z
  .object({
    labelSelector: labelSelector('Labels of the pods.').optional(),
    namespaceSelector: labelSelector('Labels of their namespaces.').optional(),
    namespaces: z.array(z.string().max(63)).max(64).meta({ description: 'Namespaces by name.' }).optional(),
    topologyKey: word(317, 'Node label that defines a topology domain.'),
    matchLabelKeys: z
      .array(z.string().max(317))
      .max(64)
      .meta({ description: 'Labels whose values are taken from the new pod.' })
      .optional(),
    mismatchLabelKeys: z
      .array(z.string().max(317))
      .max(64)
      .meta({ description: 'Labels whose values must differ from those of the new pod.' })
      .optional(),
  })
  .meta({ description: 'Pods to be placed with, or apart from.' });

const weight = integer(1, 100, 'Weight of the preference.');

const podAffinity = (description: string) =>
  z
    .object({
      requiredDuringSchedulingIgnoredDuringExecution: z
        .array(podTerm)
        .max(32)
        .meta({ description: 'Must hold.' })
        .optional(),
      preferredDuringSchedulingIgnoredDuringExecution: z
        .array(z.object({ weight, podAffinityTerm: podTerm }).meta({ description: 'A preference.' }))
        .max(32)
        .meta({ description: 'Should hold.' })
        .optional(),
    })
    .meta({ description });

export const affinity = z
  .object({
    nodeAffinity: z
      .object({
        requiredDuringSchedulingIgnoredDuringExecution: z
          .object({
            nodeSelectorTerms: z.array(nodeTerm).max(32).meta({ description: 'At least one must hold.' }),
          })
          .meta({ description: 'Must hold.', 'x-kubernetes-map-type': 'atomic' })
          .optional(),
        preferredDuringSchedulingIgnoredDuringExecution: z
          .array(z.object({ weight, preference: nodeTerm }).meta({ description: 'A preference.' }))
          .max(32)
          .meta({ description: 'Should hold.' })
          .optional(),
      })
      .meta({ description: 'By node.' })
      .optional(),
    podAffinity: podAffinity('Near to other pods.').optional(),
    podAntiAffinity: podAffinity('Away from other pods.').optional(),
  })
  .meta({ description: 'Scheduling rules of the agent, as core/v1 Affinity.' });

export const priorityClassName = objectName('Priority class of the agent.');

export const observedGeneration = count('Generation of the object that the status describes.');
