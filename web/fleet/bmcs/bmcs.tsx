import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { SelectField } from '../../common/field.tsx';
import { Empty } from '../../common/states.tsx';
import { useFleet } from '../data/fleet-context.ts';
import { FilterButtons } from '../parts/filter-buttons.tsx';
import { WithPanel } from '../parts/with-panel.tsx';
import { linkTo, replaceLocation, type Location } from '../routes.ts';
import { SearchedTable } from '../table/searched-table.tsx';
import { BMC_COLUMNS } from './bmc-columns.tsx';
import { BmcPanel } from './bmc-panel.tsx';
import { BmcRows, isIll, keyOfBmc, passes } from './bmc-rows.ts';

/** All BMCs. The filters are in the address of the page, so that a link keeps them. */
export function Bmcs({ at: { object, filters } }: { at: Location }): JSX.Element {
  const fleet = useFleet();
  const { show = '', namespace = '', text = '' } = filters;
  const [maker] = useState(() => new BmcRows());
  const all = useMemo(() => maker.of(fleet), [maker, fleet]);
  const namespaces = useMemo(() => [...new Set(all.map(({ bmc }) => bmc.namespace))].toSorted(), [all]);
  const inNamespace = useMemo(
    () => all.filter(({ bmc }) => namespace === '' || bmc.namespace === namespace),
    [all, namespace],
  );
  const filtered = useMemo(() => inNamespace.filter((row) => passes(row, show)), [inNamespace, show]);
  const openKey = object && `${object.namespace}/${object.name}`;
  const open = all.find((row) => keyOfBmc(row) === openKey);
  const filterBy = (change: Record<string, string>): void => {
    replaceLocation(linkTo({ place: 'bmcs', object, filters: { ...filters, ...change } }));
  };
  const count = (value: string): number => inNamespace.filter((row) => passes(row, value)).length;
  const close = (): void => {
    location.hash = linkTo({ place: 'bmcs', object: undefined, filters });
  };
  return (
    <WithPanel panel={object && <BmcPanel key={openKey} of={object} row={open} onClose={close} />}>
      <FilterButtons
        label="Show"
        value={show}
        options={[
          ['', 'All', inNamespace.length],
          ['ill', 'With problems', inNamespace.filter(isIll).length],
          ['on', 'On', count('on')],
          ['off', 'Off', count('off')],
        ]}
        onChange={(value) => {
          filterBy({ show: value });
        }}
      />
      <SearchedTable
        label="BMCs"
        columns={BMC_COLUMNS}
        rows={filtered}
        total={all.length}
        what={all.length === 1 ? 'BMC' : 'BMCs'}
        hint="A name, an address, a problem"
        text={text}
        onText={(value) => {
          filterBy({ text: value });
        }}
        keyOf={keyOfBmc}
        linkOf={({ bmc }) => linkTo({ place: 'bmcs', object: bmc, filters })}
        openKey={openKey}
        toneOf={(row) => (isIll(row) ? 'ill' : '')}
        empty={
          all.length === 0 ? (
            <Empty icon="server" title="There is no BMC">
              A VirtualMachineBMC, or an annotation of a virtual machine, requests one; docs/install.md shows how.
            </Empty>
          ) : (
            <Empty icon="server" title="No BMC matches the search and the filters" />
          )
        }
      >
        {namespaces.length > 1 && (
          <SelectField
            label="Namespace"
            value={namespace}
            options={[['', 'All'], ...namespaces.map((one) => [one, one] as const)]}
            onChange={(value) => {
              filterBy({ namespace: value });
            }}
          />
        )}
      </SearchedTable>
    </WithPanel>
  );
}
