import { at, textOr } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { fieldErrors, quoted } from '../schema/index.ts';
import type { FieldError } from '../status.ts';
import type { Condition } from './conditions.ts';

const ANNOTATION = 'api-approved.kubernetes.io';
const RULE = `protected groups must have approval annotation "${ANNOTATION}"`;
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';

type Reason = 'MissingAnnotation' | 'UnapprovedAnnotation' | 'ApprovedAnnotation' | 'InvalidAnnotation';

/** Definitions of Kubernetes' own groups must say who approved them; what was so before an update may stay so. */
export function approvalErrors(definition: ApiObject, previous: ApiObject | undefined): FieldError[] {
  if (!isProtected(definition)) return [];
  const { reason, message } = judge(definition);
  if (previous !== undefined && judge(previous).reason === reason) return [];
  const field = `metadata.annotations[${ANNOTATION}]`;
  if (reason === 'MissingAnnotation') return [fieldErrors.required(field, message)];
  return reason === 'InvalidAnnotation' ? [fieldErrors.invalid(field, annotationOf(definition), message)] : [];
}

/** The condition that tells whether a definition of Kubernetes' own groups is approved; undefined for other groups. */
export function approvalCondition(definition: ApiObject): Condition | undefined {
  if (!isProtected(definition)) return undefined;
  const { reason, message } = judge(definition);
  const status = reason === 'ApprovedAnnotation' ? 'True' : 'False';
  return { type: 'KubernetesAPIApprovalPolicyConformant', status, reason, message };
}

function isProtected(definition: ApiObject): boolean {
  return /(^|\.)(k8s|kubernetes)\.io$/.test(textOr(at(definition, 'spec', 'group')));
}

function judge(definition: ApiObject): { reason: Reason; message: string } {
  const annotation = annotationOf(definition);
  if (annotation === '') return { reason: 'MissingAnnotation', message: `${RULE}, ${SEE}` };
  if (annotation.startsWith('unapproved'))
    return { reason: 'UnapprovedAnnotation', message: `not approved: ${quoted(annotation)}` };
  if (/^[a-z][a-z\d+.-]*:\/\/[^/?#]+/i.test(annotation))
    return { reason: 'ApprovedAnnotation', message: `approved in ${annotation}` };
  const message = `${RULE} with either a URL or a reason starting with "unapproved", ${SEE}`;
  return { reason: 'InvalidAnnotation', message };
}

function annotationOf({ metadata }: ApiObject): string {
  return metadata.annotations?.[ANNOTATION] ?? '';
}
