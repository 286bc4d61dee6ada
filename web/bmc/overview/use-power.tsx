import type { JSX } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import { Confirmation } from '../../common/confirmation.tsx';
import { useAction } from '../../common/use-action.ts';
import { useBmc, useRefusal, useResource } from '../redfish/bmc-context.ts';
import type { ComputerSystem } from '../redfish/resources.ts';
import { SYSTEM } from '../redfish/uris.ts';
import { type PowerAction, powerActions } from './power-actions.ts';

export interface Power {
  readonly state: string | null | undefined;
  /** Actions that have an effect now. */
  readonly actions: readonly PowerAction[];
  /** Why the caller may not do them. */
  readonly refusal: string | undefined;
  readonly isBusy: boolean;
  /** Asks first where something can be lost. */
  choose(action: PowerAction): void;
  /** The question, while it is asked; a page renders it. */
  readonly question: JSX.Element | null;
}

const RESET = '#ComputerSystem.Reset';

export function usePower(): Power {
  const { client, store } = useBmc();
  const { body: system } = useResource<ComputerSystem>(SYSTEM);
  const refusal = useRefusal('power');
  const [asked, setAsked] = useState<PowerAction>();
  const action = system?.Actions[RESET];
  const [run, isBusy] = useAction(
    useCallback(
      async ({ type, label }: PowerAction) => {
        await client.send('POST', action?.target ?? `${SYSTEM}/Actions/ComputerSystem.Reset`, { ResetType: type });
        void store.refresh(SYSTEM);
        return `${label}: the BMC has accepted it.`;
      },
      [client, store, action],
    ),
  );
  const state = system?.PowerState;
  return {
    state,
    actions:
      state === undefined || state === null ? [] : powerActions(state, action?.['ResetType@Redfish.AllowableValues']),
    refusal,
    isBusy,
    choose: (chosen) => {
      if (chosen.needsConfirmation) setAsked(chosen);
      else void run(chosen);
    },
    question:
      asked === undefined ? null : (
        <Confirmation
          title={`${asked.label}: ${system?.Name ?? 'the machine'}?`}
          yes={asked.label}
          isDangerous={asked.isDangerous}
          onAnswer={(isYes) => {
            setAsked(undefined);
            if (isYes) void run(asked);
          }}
        >
          {asked.effect}
        </Confirmation>
      ),
  };
}
