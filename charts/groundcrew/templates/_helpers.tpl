{{- define "groundcrew.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "groundcrew.fullname" -}}
{{- $name := include "groundcrew.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "groundcrew.serviceAccountName" -}}
{{- default (include "groundcrew.fullname" .) .Values.serviceAccount.name }}
{{- end }}

{{- define "groundcrew.selectorLabels" -}}
app.kubernetes.io/name: {{ include "groundcrew.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: manager
{{- end }}

{{- define "groundcrew.labels" -}}
{{ include "groundcrew.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "groundcrew.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* The given agent values that are set, as JSON; empty if there are none. */}}
{{- define "groundcrew.agentDefaults" -}}
{{- $set := dict }}
{{- range $key, $value := . }}
{{- if $value }}
{{- $_ := set $set $key $value }}
{{- end }}
{{- end }}
{{- if $set }}
{{- toJson $set }}
{{- end }}
{{- end }}

{{/*
The permissions of the manager. In Kubernetes nobody can grant permissions that they do not have, so these are its own permissions
and those that it grants each agent, by name, in a Role for that agent. It has neither bind nor escalate.
*/}}
{{- define "groundcrew.managerRules" -}}
# BMCs: the manager adds and removes its finalizer, and creates and deletes those that VMs request by annotation. The finalizers subresource permits owner references that block deletion.
- apiGroups: [bmc.kubevirt.io]
  resources: [virtualmachinebmcs]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [bmc.kubevirt.io]
  resources: [virtualmachinebmcs/status]
  verbs: [get, patch]
- apiGroups: [bmc.kubevirt.io]
  resources: [virtualmachinebmcs/finalizers]
  verbs: [update]
# Pools, leases and network configs. Agents write the status of leases.
- apiGroups: [network.harvesterhci.io]
  resources: [ippools]
  verbs: [get, list, watch]
- apiGroups: [network.harvesterhci.io]
  resources: [virtualmachinenetworkconfigs, ipleases]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [network.harvesterhci.io]
  resources: [ippools/status, virtualmachinenetworkconfigs/status]
  verbs: [patch]
- apiGroups: [network.harvesterhci.io]
  resources: [ipleases/status]
  verbs: [get, patch]
# Namespaces by name: an address that is kept for a VM is free when the VM's namespace is gone.
- apiGroups: [""]
  resources: [namespaces]
  verbs: [get]
# Networks: those of pools are read; those of agents, with the address of the agent, are created.
- apiGroups: [k8s.cni.cncf.io]
  resources: [network-attachment-definitions]
  verbs: [get, list, watch, create, patch, delete]
# Shared agents. Agents may use their own pods and Leases, which have these names only: api/shared-agent.ts. The manager uses the
# Leases; without these it could not grant agents the rest.
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  resourceNames:
    {{- range $index := until 64 }}
    - virtbmc-shared-{{ $index }}
    {{- end }}
  verbs: [get, create, patch, update, delete]
- apiGroups: [""]
  resources: [pods]
  resourceNames:
    {{- range $index := until 64 }}
    - virtbmc-shared-{{ $index }}-0
    - virtbmc-shared-{{ $index }}-1
    {{- end }}
  verbs: [get, patch]
# Of each shared agent a PodDisruptionBudget, of its name.
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [list, watch]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  resourceNames:
    {{- range $index := until 64 }}
    - virtbmc-shared-{{ $index }}
    {{- end }}
  verbs: [get, create, patch, delete]
# The objects of an agent.
- apiGroups: [apps]
  resources: [deployments, statefulsets]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [services, serviceaccounts]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [rbac.authorization.k8s.io]
  resources: [roles, rolebindings]
  verbs: [get, list, watch, create, patch, delete]
# Agents, and those of vm-dhcp-controller.
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch]
# The manager reads the data of Secrets only by name: of those in authSecretRef and those that it created; of certificates (<bmc>-tls) also by
# label. Of others it watches the metadata. RBAC cannot express this, because the names are not known in advance. The manager patches only <bmc>-tls. Agents get patch for
# their Secret <bmc>-state, and for <bmc>-credentials if authSecretRef is not set.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, list, watch, create, patch, delete]
# Granted to agents, not used by the manager: the event log of a BMC (ConfigMap <bmc>-sel), the CA certificates of its image
# servers, and the images that clients insert (DataVolumes <bmc>-cd and <bmc>-cd-2).
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get, list, watch, create, patch]
- apiGroups: [cdi.kubevirt.io]
  resources: [datavolumes]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [events]
  verbs: [create, patch]
# Virtual machines: agents patch the boot order, and so does the manager when a BMC is deleted. It labels those that request a BMC.
- apiGroups: [kubevirt.io]
  resources: [virtualmachines]
  verbs: [get, list, watch, patch]
- apiGroups: [kubevirt.io]
  resources: [virtualmachineinstances]
  verbs: [get, list, watch]
# Granted to agents, not used by the manager.
- apiGroups: [subresources.kubevirt.io]
  resources: [virtualmachines/start, virtualmachines/stop, virtualmachines/restart]
  verbs: [update]
- apiGroups: [subresources.kubevirt.io]
  resources:
    - virtualmachineinstances/reset
    - virtualmachineinstances/pause
    - virtualmachineinstances/unpause
    - virtualmachineinstances/softreboot
  verbs: [update]
- apiGroups: [subresources.kubevirt.io]
  resources:
    - virtualmachineinstances/console
    - virtualmachineinstances/vnc
    - virtualmachineinstances/vnc/screenshot
    - virtualmachines/expand-spec
  verbs: [get]
{{- if .Values.bmc.metrics }}
- apiGroups: [metrics.k8s.io]
  resources: [pods]
  verbs: [list]
{{- end }}
{{- end }}
