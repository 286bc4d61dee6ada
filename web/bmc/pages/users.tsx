import type { JSX } from 'preact';
import { useCallback, useState } from 'preact/hooks';
import { Badge } from '../../common/badge.tsx';
import { Button } from '../../common/button.tsx';
import { Confirmation } from '../../common/confirmation.tsx';
import { useAction } from '../../common/use-action.ts';
import { useBmc, useRefusal, useResource } from '../redfish/bmc-context.ts';
import type { Account, Collection } from '../redfish/resources.ts';
import { ACCOUNTS } from '../redfish/uris.ts';
import { AccountDialog } from './account-dialog.tsx';
import { ResourceTable } from './resource-table.tsx';

/** ID of the account whose password the owner of the BMC keeps in a Secret. */
const OWNER = '2';

export function Users(): JSX.Element {
  const { client, store } = useBmc();
  const shown = useResource<Collection<Account>>(ACCOUNTS);
  const refusal = useRefusal('users');
  const [edited, setEdited] = useState<Account | 'new'>();
  const [asked, setAsked] = useState<{ account: Account; to: 'Disable' | 'Remove' }>();
  const [change, isBusy] = useAction(
    useCallback(
      async (method: 'PATCH' | 'DELETE', account: Account, patch: object | undefined, done: string) => {
        await client.send(method, account['@odata.id'], patch);
        await store.refresh(ACCOUNTS);
        return done;
      },
      [client, store],
    ),
  );
  // An account without a name is one that the caller may not read.
  const readable = shown.body?.Members.filter(({ UserName }) => UserName !== undefined && UserName !== '');
  return (
    <>
      <div class="toolbar">
        <p class="quiet grow">The accounts are those of Redfish, IPMI and this page.</p>
        <Button
          kind="primary"
          icon="users"
          reason={refusal}
          onClick={() => {
            setEdited('new');
          }}
        >
          Add a user
        </Button>
      </div>
      <ResourceTable
        title="Users"
        what="users"
        shown={shown}
        members={readable}
        columns={['User', 'Role', 'State', '']}
        row={(account) => {
          const isOwn = account.UserName === client.caller.user;
          return (
            <tr key={account.Id}>
              <td>
                <strong>{account.UserName}</strong> {isOwn && <span class="quiet small">you</span>}{' '}
                {account.Id === OWNER && <span class="quiet small">from the configuration of the BMC</span>}
              </td>
              <td>{account.RoleId}</td>
              <td>
                <AccountState account={account} />
              </td>
              <td class="actions">
                <div class="buttons">
                  <Button
                    isNarrow
                    reason={isOwn ? undefined : refusal}
                    onClick={() => {
                      setEdited(account);
                    }}
                  >
                    {refusal === undefined ? 'Edit' : 'Change password'}
                  </Button>
                  <Button
                    isNarrow
                    reason={refusal ?? (isOwn ? 'This is the account that you use.' : undefined)}
                    isBusy={isBusy}
                    onClick={() => {
                      if (account.Enabled) setAsked({ account, to: 'Disable' });
                      else void change('PATCH', account, { Enabled: true }, `${account.UserName ?? ''} is enabled.`);
                    }}
                  >
                    {account.Enabled ? 'Disable' : 'Enable'}
                  </Button>
                  <Button
                    isNarrow
                    kind="danger"
                    reason={refusal ?? whyKept(account, isOwn)}
                    onClick={() => {
                      setAsked({ account, to: 'Remove' });
                    }}
                  >
                    Remove
                  </Button>
                </div>
              </td>
            </tr>
          );
        }}
      />
      {edited !== undefined && (
        <AccountDialog
          account={edited === 'new' ? undefined : edited}
          onClose={() => {
            setEdited(undefined);
          }}
        />
      )}
      {asked !== undefined && (
        <Confirmation
          title={`${asked.to} ${asked.account.UserName ?? 'the account'}?`}
          yes={asked.to}
          onAnswer={(isYes) => {
            setAsked(undefined);
            if (!isYes) return;
            const { account, to } = asked;
            const name = account.UserName ?? '';
            if (to === 'Remove') void change('DELETE', account, undefined, `${name} is removed.`);
            else void change('PATCH', account, { Enabled: false }, `${name} is disabled.`);
          }}
        >
          {asked.to === 'Remove'
            ? 'Its sessions, consoles and event subscriptions end at once.'
            : 'It cannot log in until it is enabled again. Its sessions and consoles end at once.'}
        </Confirmation>
      )}
    </>
  );
}

function whyKept({ Id }: Account, isOwn: boolean): string | undefined {
  if (Id === OWNER) return 'This account comes from the configuration of the BMC.';
  return isOwn ? 'This is the account that you use.' : undefined;
}

function AccountState({ account }: { account: Account }): JSX.Element {
  if (account.Enabled !== true) return <Badge tone="quiet">Disabled</Badge>;
  if (account.Locked) return <Badge tone="warn">Locked</Badge>;
  if (account.PasswordChangeRequired) return <Badge tone="warn">Must change its password</Badge>;
  return <Badge tone="good">Enabled</Badge>;
}
