import type { JSX } from 'preact';
import { Button } from '../../common/button.tsx';
import { Card } from '../../common/card.tsx';
import { powerWords } from '../../common/power-state.tsx';
import { Time } from '../../common/time.tsx';
import type { ComputerSystem } from '../redfish/resources.ts';
import { usePower } from './use-power.tsx';

const PROGRESS: Readonly<Record<string, string>> = {
  OSRunning: 'The operating system is running',
  OSBootStarted: 'The operating system is starting',
  SystemHardwareInitializationComplete: 'The firmware is running',
};

export function PowerCard({ system }: { system: ComputerSystem }): JSX.Element {
  const power = usePower();
  const { text, tone } = powerWords(power.state);
  const progress = PROGRESS[system.BootProgress?.LastState ?? ''];
  return (
    <Card title="Power">
      <div class="power-now">
        <span class="state">
          <span class={`lamp ${tone}`} />
          {text}
        </span>
        <span class="quiet">
          {progress}
          {system.LastResetTime !== undefined && power.state !== 'Off' && (
            <>
              {progress === undefined ? 'Started ' : ', started '}
              <Time at={system.LastResetTime} />
            </>
          )}
        </span>
      </div>
      <div class="buttons">
        {power.actions.map((action) => (
          <Button
            key={action.type}
            icon={action.type === 'On' ? 'power' : undefined}
            kind={
              action.type === 'On' || action.type === 'Resume' ? 'primary' : action.isDangerous ? 'danger' : undefined
            }
            reason={power.refusal}
            isBusy={power.isBusy}
            onClick={() => {
              power.choose(action);
            }}
          >
            {action.label}
          </Button>
        ))}
      </div>
      {power.question}
    </Card>
  );
}
