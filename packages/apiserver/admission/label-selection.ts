import { arrayOr, isObject, objectOr, textOr, type JsonObject } from '../json.ts';
import { parseLabelSelector, type LabelMatch } from '../selectors/index.ts';

/** A metav1.LabelSelector as a function; undefined where it selects everything. */
export function labelSelection(selector: JsonObject): LabelMatch | undefined {
  const requirements = [
    ...Object.entries(objectOr(selector['matchLabels'])).map(([key, value]) => `${key}=${textOr(value)}`),
    ...arrayOr(selector['matchExpressions']).filter(isObject).map(requirementText),
  ];
  return requirements.length === 0 ? undefined : parseLabelSelector(requirements.join(','));
}

function requirementText(requirement: JsonObject): string {
  const key = textOr(requirement['key']);
  const values = arrayOr(requirement['values']).map(textOr).join(',');
  switch (requirement['operator']) {
    case 'In':
      return `${key} in (${values})`;
    case 'NotIn':
      return `${key} notin (${values})`;
    case 'Exists':
      return key;
    default:
      return `!${key}`; // DoesNotExist: the configuration was validated
  }
}
