import { describe, expect, it } from 'vitest';
import { AgentDefaultsError, parseAgentDefaults } from './settings.ts';

describe('the defaults of all agents on the command line', () => {
  it('are a JSON object with the fields of spec.agent', () => {
    const text = '{"nodeSelector":{"zone":"a"},"tolerations":[{"operator":"Exists"}],"priorityClassName":"high"}';
    expect(parseAgentDefaults(text)).toEqual(JSON.parse(text));
    expect(parseAgentDefaults('{}')).toEqual({});
  });

  it.each([
    ['{', 'not valid JSON'],
    ['[]', 'must be a JSON object, not array'],
    ['null', 'must be a JSON object, not null'],
    ['{"nodeselector":{}}', 'no field nodeselector; there are image'],
    ['{"tolerations":{}}', 'tolerations of the agent defaults must be of type array'],
  ])('are rejected with the reason: %s', (text, said) => {
    expect(() => parseAgentDefaults(text)).toThrow(AgentDefaultsError);
    expect(() => parseAgentDefaults(text)).toThrow(said);
  });
});
