/** metav1.Status, the body of an API server's error. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  status?: 'Success' | 'Failure';
  code?: number;
  reason?: string;
  message?: string;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    retryAfterSeconds?: number;
    causes?: { reason?: string; message?: string; field?: string }[];
  };
}

/** The API server answered with an error. `status` is the HTTP status; `reason` is metav1.StatusReason or ''. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code = 'ApiError';
  readonly status: number;
  readonly reason: string;
  readonly body: Status | undefined;
  /** Seconds after which the server asks for a retry. */
  readonly retryAfterSeconds: number | undefined;

  /** @param retryAfter the header Retry-After: an overloaded kube-apiserver answers without a metav1.Status */
  constructor(request: string, status: number, body: Status | string, retryAfter?: string) {
    const text = typeof body === 'string' ? body.trim().slice(0, 500) : (body.message ?? '');
    super(`${request}: ${status} ${text}`.trim());
    this.status = status;
    this.reason = typeof body === 'string' ? '' : (body.reason ?? '');
    this.body = typeof body === 'string' ? undefined : body;
    const asked = /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined;
    this.retryAfterSeconds = this.body?.details?.retryAfterSeconds ?? asked;
  }

  /** The server's error message, as kubectl shows it. */
  get serverMessage(): string {
    return this.body?.message ?? this.message;
  }
}

/** The API server sent no HTTP response (refused, reset, timed out). Retryable. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly code = 'TransportError';
}

/** Thrown by a reconciler if a retry cannot succeed until the object changes. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
  readonly code = 'TerminalError';
}

export function isNotFound(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404;
}

/** The outcome of `work` on an object; undefined if the object was deleted in the meantime, which its watch will show. */
export async function unlessGone<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** 409 with reason Conflict: the object has changed since it was read. */
export function isConflict(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 409 && error.reason === 'Conflict';
}

/** The server or an admission webhook rejected the object as invalid. */
export function isInvalid(error: unknown): error is ApiError & { status: 400 | 403 | 422 } {
  if (!(error instanceof ApiError) || ![400, 403, 422].includes(error.status)) return false;
  return /denied the request|is invalid/.test(error.serverMessage);
}

/** The object has changed since it was read: a conflict, or a failed `test` of a JSON patch. */
export function isLostRace(error: unknown): error is ApiError {
  return isConflict(error) || (error instanceof ApiError && error.status === 422 && !isInvalid(error));
}

/** 409 with reason AlreadyExists. */
export function isAlreadyExists(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 409 && error.reason === 'AlreadyExists';
}

/** 410: the resource version or continue token is too old. */
export function isGone(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 410;
}
