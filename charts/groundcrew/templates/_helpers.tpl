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

{{/* What is set of the values of agents that are passed, as JSON; empty where nothing is. */}}
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
What the manager may do. Kubernetes lets nobody grant what they do not hold, so this is the union of the manager's own needs and
of what it gives to each agent, by name, in a Role of the agent's own. It holds neither bind nor escalate.
*/}}
{{- define "groundcrew.managerRules" -}}
# BMCs: the manager adds and removes its finalizer. Their finalizers subresource: to own objects that block their deletion.
- apiGroups: [bmc.kubevirt.io]
  resources: [virtualmachinebmcs]
  verbs: [get, list, watch, patch]
- apiGroups: [bmc.kubevirt.io]
  resources: [virtualmachinebmcs/status]
  verbs: [get, patch]
- apiGroups: [bmc.kubevirt.io]
  resources: [virtualmachinebmcs/finalizers]
  verbs: [update]
# Pools, leases and who asks for them. The status of leases is their agents' to write.
- apiGroups: [network.harvesterhci.io]
  resources: [ippools]
  verbs: [get, list, watch]
- apiGroups: [network.harvesterhci.io]
  resources: [virtualmachinenetworkconfigs, ipleases]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [network.harvesterhci.io]
  resources: [ippools/status, virtualmachinenetworkconfigs/status, ipleases/status]
  verbs: [get, patch]
# Networks: read as they are, and made for agents with the agents' own addresses.
- apiGroups: [k8s.cni.cncf.io]
  resources: [network-attachment-definitions]
  verbs: [get, list, watch, create, patch, delete]
# What an agent consists of.
- apiGroups: [apps]
  resources: [deployments]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [services, serviceaccounts]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [rbac.authorization.k8s.io]
  resources: [roles, rolebindings]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [pods]
  verbs: [get, list, watch]
# Secrets are read by name alone: those that BMCs name, and those that the manager made for BMCs that name none; and by label those
# with certificates, <bmc>-tls, that it made. RBAC has no way to say so, since the names are not known beforehand. The manager patches
# <bmc>-tls alone; patch is given to agents besides: each patches the
# Secret <bmc>-state, and <bmc>-credentials where nobody has named another.
- apiGroups: [""]
  resources: [secrets]
  verbs: [get, list, watch, create, patch, delete]
# Given to agents, not used by the manager: the event log of a BMC, ConfigMap <bmc>-sel, the certificates that its image servers
# are verified by, and the images that clients insert, DataVolumes <bmc>-cd and <bmc>-cd-2.
- apiGroups: [""]
  resources: [configmaps]
  verbs: [get, list, watch, create, patch]
- apiGroups: [cdi.kubevirt.io]
  resources: [datavolumes]
  verbs: [get, list, watch, create, patch, delete]
- apiGroups: [""]
  resources: [events]
  verbs: [create, patch]
# Virtual machines: the boot order is patched by agents, and by the manager when a BMC is deleted.
- apiGroups: [kubevirt.io]
  resources: [virtualmachines]
  verbs: [get, list, watch, patch]
- apiGroups: [kubevirt.io]
  resources: [virtualmachineinstances]
  verbs: [get, list, watch]
# Given to agents, not used by the manager.
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
  resources: [virtualmachineinstances/console, virtualmachines/expand-spec]
  verbs: [get]
{{- if .Values.bmc.metrics }}
- apiGroups: [metrics.k8s.io]
  resources: [pods]
  verbs: [list]
{{- end }}
{{- end }}
