import { expect, it } from 'vitest';
import { powerActions } from './power-actions.ts';

it.each([
  ['Off', ['On']],
  ['On', ['GracefulShutdown', 'GracefulRestart', 'Pause', 'ForceRestart', 'PowerCycle', 'ForceOff']],
  ['Paused', ['Resume', 'GracefulShutdown', 'GracefulRestart', 'ForceRestart', 'PowerCycle', 'ForceOff']],
  ['PoweringOn', ['GracefulShutdown', 'GracefulRestart', 'ForceRestart', 'PowerCycle', 'ForceOff']],
])('offers what has an effect on a machine that is %s', (state, types) => {
  expect(powerActions(state, undefined).map(({ type }) => type)).toEqual(types);
});

it('offers only what the machine allows', () => {
  expect(powerActions('On', ['On', 'ForceOff']).map(({ type }) => type)).toEqual(['ForceOff']);
});

it('asks before all that the guest notices', () => {
  const unasked = ['Off', 'On', 'Paused'].flatMap((state) =>
    powerActions(state, undefined).filter(({ needsConfirmation }) => !needsConfirmation),
  );
  expect(unasked.map(({ type }) => type)).toEqual(['On', 'Resume']);
});
