import { describe, expect, it } from 'vitest';
import { AgentDefaultsError, agentSettings, parseAgentDefaults, refusedImage } from './settings.ts';

describe('the defaults of all agents on the command line', () => {
  it('are a JSON object with the fields of spec.agent', () => {
    const text =
      '{"nodeSelector":{"zone":"a"},"topologySpreadConstraints":[{"topologyKey":"zone"}],"priorityClassName":"high"}';
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

describe('spec.agent.image', () => {
  const defaults = { image: 'groundcrew:1', allowedImages: ['other/groundcrew:*', 'exact:2'] };

  it.each([['groundcrew:1'], ['other/groundcrew:3'], ['exact:2']])('is run if it is allowed: %s', (image) => {
    expect(agentSettings(defaults, { image }).image).toBe(image);
    expect(refusedImage({ image }, defaults)).toBeUndefined();
  });

  it.each([['groundcrew:2'], ['exact:22'], ['evil/other/groundcrew:3']])('is not run otherwise: %s', (image) => {
    expect(agentSettings(defaults, { image })).toEqual(defaults);
    expect(refusedImage({ image }, defaults)).toContain('the agent runs groundcrew:1');
  });
});
