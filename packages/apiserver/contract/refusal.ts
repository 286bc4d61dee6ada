/** The expected failure response. Messages and details are not compared. */
export function refused(code: number, reason?: string): object {
  const body = { kind: 'Status', status: 'Failure', code };
  return { status: code, body: reason === undefined ? body : { ...body, reason } };
}

export const BAD_REQUEST = refused(400, 'BadRequest');
export const CONFLICT = refused(409, 'Conflict');
export const INVALID = refused(422, 'Invalid');
export const NOT_FOUND = refused(404, 'NotFound');
