/** The status, reason and message of a condition. */
export interface ConditionResult {
  status: 'True' | 'False' | 'Unknown';
  /** CamelCase, stable. */
  reason: string;
  /** A sentence; in case of a problem it says what to do. */
  message: string;
}

export function holds(reason: string, message: string): ConditionResult {
  return { status: 'True', reason, message };
}

export function holdsNot(reason: string, message: string): ConditionResult {
  return { status: 'False', reason, message };
}
