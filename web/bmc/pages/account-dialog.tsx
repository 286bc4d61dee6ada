import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../common/button.tsx';
import { Dialog } from '../../common/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../common/field.tsx';
import { useNotices } from '../../common/use-notices.ts';
import { Failure } from '../../common/states.tsx';
import { useSubmit } from '../../common/use-submit.ts';
import { useBmc, useRefusal, useResource } from '../redfish/bmc-context.ts';
import type { Account, AccountService } from '../redfish/resources.ts';
import { ACCOUNT_SERVICE, ACCOUNTS } from '../redfish/uris.ts';

const ROLES = [
  ['ReadOnly', 'ReadOnly: looks'],
  ['Operator', 'Operator: power, boot and consoles'],
  ['Administrator', 'Administrator: everything'],
] as const;

interface Props {
  /** Undefined: a new one. */
  account: Account | undefined;
  onClose: () => void;
}

export function AccountDialog({ account, onClose }: Props): JSX.Element {
  const { client, store } = useBmc();
  const notices = useNotices();
  const refusal = useRefusal('users');
  const { body: service } = useResource<AccountService>(ACCOUNT_SERVICE);
  const [name, setName] = useState(account?.UserName ?? '');
  const [role, setRole] = useState(account?.RoleId ?? 'ReadOnly');
  const [password, setPassword] = useState('');
  const [isShown, setShown] = useState(false);
  const [mustChange, setMustChange] = useState(account?.PasswordChangeRequired ?? false);
  const isOwn = account?.UserName === client.caller.user;

  const { onSubmit, problem, isBusy } = useSubmit(async () => {
    if (account === undefined) {
      await client.send('POST', ACCOUNTS.replace(/\?.*/, ''), {
        UserName: name,
        Password: password,
        RoleId: role,
        ...(mustChange && { PasswordChangeRequired: true }),
      });
    } else {
      await client.send('PATCH', account['@odata.id'], {
        ...(name !== account.UserName && { UserName: name }),
        ...(role !== account.RoleId && { RoleId: role }),
        ...(password !== '' && { Password: password }),
        ...(mustChange !== account.PasswordChangeRequired && { PasswordChangeRequired: mustChange }),
      });
      if (isOwn) {
        // Name, role or password of this page's session are others now.
        await client.logOut('Your account is changed. Log in again.');
        return;
      }
    }
    await store.refresh(ACCOUNTS);
    notices.done(account === undefined ? `${name} is added.` : `${name} is changed.`);
    onClose();
  });
  const rules =
    service && `${service.MinPasswordLength} to ${service.MaxPasswordLength} characters; IPMI uses at most 20.`;
  return (
    <Dialog
      title={account === undefined ? 'Add a user' : `Change ${account.UserName ?? 'the account'}`}
      onClose={onClose}
    >
      <form class="form" onSubmit={onSubmit}>
        {problem !== undefined && <Failure trouble={problem} />}
        <TextField
          label="User name"
          value={name}
          onInput={setName}
          reason={refusal}
          isRequired
          isFocused={account === undefined}
        />
        <SelectField label="Role" value={role} options={ROLES} onChange={setRole} reason={refusal} />
        <TextField
          label={account === undefined ? 'Password' : 'New password'}
          type={isShown ? 'text' : 'password'}
          value={password}
          onInput={setPassword}
          autocomplete="new-password"
          isRequired={account === undefined || refusal !== undefined}
          hint={`${rules ?? ''} ${account === undefined ? '' : 'Empty: it stays as it is.'}`}
        />
        <CheckField label="Show what is typed" isChecked={isShown} onChange={setShown} />
        <CheckField
          label="Must change its password at the next log-in"
          isChecked={mustChange}
          onChange={setMustChange}
          reason={refusal}
        />
        <div class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={isBusy}>
            {account === undefined ? 'Add' : 'Save'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
