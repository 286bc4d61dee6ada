import { expect, it } from 'vitest';
import { imageEnvironment, imageNodeOptions } from './container-image.ts';
import { agentImage } from '../../cli/sandbox/agent-image.ts';

it('agents run with the options and the environment of the Dockerfile', () => {
  const { command, environment } = agentImage('/groundcrew.js');
  expect(command).toEqual([process.execPath, ...imageNodeOptions(), '/groundcrew.js']);
  expect(environment).toEqual(imageEnvironment());
});
