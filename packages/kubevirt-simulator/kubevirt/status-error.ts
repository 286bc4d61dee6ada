import type { Status } from '@groundcrew/controller-runtime';

/** An answer that is not a success: the HTTP status and metav1.Status that virt-api sends (apimachinery `errors`). */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly code = 'StatusError';
  readonly body: Status & { code: number; metadata: Record<string, never> };

  constructor(code: number, reason: string, message: string, details?: Status['details']) {
    super(message);
    this.body = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      code,
      ...(details === undefined ? {} : { details }),
    };
  }

  /** `resource` is `virtualmachine` or `virtualmachineinstance`: KubeVirt names them in the singular. */
  static notFound(resource: string, name: string): StatusError {
    return new StatusError(404, 'NotFound', `${resource}.kubevirt.io "${name}" not found`, detailsOf(resource, name));
  }

  static conflict(resource: string, name: string, why: string): StatusError {
    const message = `Operation cannot be fulfilled on ${resource}.kubevirt.io "${name}": ${why}`;
    return new StatusError(409, 'Conflict', message, detailsOf(resource, name));
  }

  static forbidden(resource: string, name: string, why: string): StatusError {
    const message = `${resource}.kubevirt.io "${name}" is forbidden: ${why}`;
    return new StatusError(403, 'Forbidden', message, detailsOf(resource, name));
  }

  static badRequest(message: string): StatusError {
    return new StatusError(400, 'BadRequest', message);
  }

  static internal(why: string): StatusError {
    const causes = [{ message: why }];
    return new StatusError(500, 'InternalError', `Internal error occurred: ${why}`, { causes });
  }
}

function detailsOf(resource: string, name: string): NonNullable<Status['details']> {
  return { name, group: 'kubevirt.io', kind: resource };
}
