/** What a condition says. */
export interface ConditionResult {
  status: 'True' | 'False' | 'Unknown';
  /** CamelCase, stable. */
  reason: string;
  /** A sentence; where something is not as it should be, it says what to do. */
  message: string;
}

export function holds(reason: string, message: string): ConditionResult {
  return { status: 'True', reason, message };
}

export function holdsNot(reason: string, message: string): ConditionResult {
  return { status: 'False', reason, message };
}
