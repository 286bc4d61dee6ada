import type { JSX } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import { Button } from '../../common/button.tsx';
import { Card } from '../../common/card.tsx';
import { SelectField, TextField } from '../../common/field.tsx';
import { useAction } from '../../common/use-action.ts';
import { useBmc, useRefusal } from '../redfish/bmc-context.ts';
import type { Boot, ComputerSystem } from '../redfish/resources.ts';
import { SYSTEM } from '../redfish/uris.ts';

const TARGETS: Readonly<Record<string, string>> = {
  Pxe: 'Network (PXE)',
  Hdd: 'Disk',
  Cd: 'CD',
  Usb: 'USB stick',
  BiosSetup: 'Firmware setup',
  UefiHttp: 'UEFI HTTP',
};

/** In words, as `from Network (PXE), once`. */
function bootWords({ BootSourceOverrideEnabled: enabled, BootSourceOverrideTarget: target }: Boot): string {
  if (enabled === 'Disabled' || target === 'None') return 'The machine boots in its own order.';
  const name = TARGETS[target] ?? target;
  return enabled === 'Once' ? `The next boot is from: ${name}.` : `Each boot is from: ${name}.`;
}

export function BootCard({ system }: { system: ComputerSystem }): JSX.Element {
  const { client, store } = useBmc();
  const refusal = useRefusal('boot');
  const { Boot: boot } = system;
  const [target, setTarget] = useState('Pxe');
  const [enabled, setEnabled] = useState('Once');
  const [mode, setMode] = useState('');
  const [uri, setUri] = useState('');
  const [set, isBusy] = useAction(
    useCallback(
      async (change: object, done: string) => {
        await client.send('PATCH', SYSTEM, { Boot: change });
        await store.refresh(SYSTEM);
        return done;
      },
      [client, store],
    ),
  );
  const offered = boot['BootSourceOverrideTarget@Redfish.AllowableValues'] ?? Object.keys(TARGETS);
  const isSet = boot.BootSourceOverrideEnabled !== 'Disabled';
  return (
    <Card title="Boot override">
      <p>
        {bootWords(boot)} <span class="quiet">Firmware: {boot.BootSourceOverrideMode ?? 'unknown'}.</span>
      </p>
      {refusal === undefined ? (
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault();
            const change = {
              BootSourceOverrideEnabled: enabled,
              BootSourceOverrideTarget: target,
              ...(mode !== '' && { BootSourceOverrideMode: mode }),
              ...(target === 'UefiHttp' && { HttpBootUri: uri }),
            };
            void set(change, 'The boot override is set.');
          }}
        >
          <div class="row">
            <SelectField
              label="Boot from"
              value={target}
              options={Object.entries(TARGETS).filter(([name]) => offered.includes(name))}
              onChange={setTarget}
            />
            <SelectField
              label="For"
              value={enabled}
              options={[
                ['Once', 'The next boot'],
                ['Continuous', 'Each boot'],
              ]}
              onChange={setEnabled}
            />
            <SelectField
              label="Firmware"
              value={mode}
              options={[
                ['', 'As it is'],
                ['UEFI', 'UEFI'],
                ['Legacy', 'BIOS'],
              ]}
              onChange={setMode}
            />
          </div>
          {target === 'UefiHttp' && (
            <TextField label="URL of the boot file" type="url" value={uri} onInput={setUri} isRequired />
          )}
          <div class="buttons">
            <Button type="submit" kind="primary" isBusy={isBusy}>
              Set
            </Button>
            <Button
              reason={isSet ? undefined : 'No override is set.'}
              isBusy={isBusy}
              onClick={() => void set({ BootSourceOverrideEnabled: 'Disabled' }, 'The boot override is cleared.')}
            >
              Clear
            </Button>
          </div>
        </form>
      ) : (
        <p class="quiet small">{refusal}</p>
      )}
    </Card>
  );
}
