"""deploy/kubernetes: the schemas of Kubernetes accept its manifests, which say the same as compose.yaml."""

import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from moss.environment import VARIABLES
from tests.moss.test_settings import evaluate
from tests.support.paths import ROOT
from tests.test_compose import COMPOSE, DOCKERFILE, OURS, SERVICES

FOLDER = ROOT / "deploy" / "kubernetes"


# The oldest version that is still maintained somewhere, and the newest one that the schemas have.
VERSIONS = ("1.31", "1.37")


# Not applied unless somebody adds it to the kustomization.
OPTIONAL = {"backup.yaml", "listen.yaml", "networks-examples.yaml"}


KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())


MANIFESTS: dict[str, dict[str, Any]] = {
    f"{manifest['kind']}/{manifest['metadata']['name']}": manifest
    for path in sorted(FOLDER.glob("*.yaml"))
    if path.name != "kustomization.yaml"
    for manifest in yaml.safe_load_all(path.read_text())
}


PODS: dict[str, dict[str, Any]] = {
    manifest["metadata"]["name"]: manifest["spec"]["template"]["spec"]
    for manifest in MANIFESTS.values()
    if manifest["kind"] in {"Deployment", "Job"}
}


CONTAINERS = {
    f"{name}/{container['name']}": container
    for name, pod in PODS.items()
    for container in (*pod.get("initContainers", []), *pod["containers"])
}


STATEMENTS = dict(
    line.split("=", 1) for line in (FOLDER / "settings.env").read_text().splitlines() if not line.startswith("#")
)


def main_container(name: str) -> dict[str, Any]:
    container: dict[str, Any] = CONTAINERS[f"{name}/{name}"]
    return container


def defaults(text: str) -> str:
    """Return a text of compose.yaml with the default of each variable, as a container gets it."""
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text).replace("$$", "$")


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", MANIFESTS)
def test_the_schemas_of_kubernetes_accept_every_manifest(name: str, version: str) -> None:
    assert kubernetes_validate.validate(MANIFESTS[name], version, strict=True) == version


@pytest.mark.parametrize(
    ("field", "value"), [("readOnlyRootFileSystem", True), ("runAsUser", "moss"), ("capabilities", ["ALL"])]
)
def test_the_schemas_refuse_a_field_that_does_not_exist_or_has_another_type(field: str, value: Any) -> None:
    broken = deepcopy(MANIFESTS["Deployment/web"])
    broken["spec"]["template"]["spec"]["containers"][0]["securityContext"][field] = value
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, VERSIONS[-1], strict=True)


def test_the_kustomization_has_every_manifest() -> None:
    files = {path.name for path in FOLDER.glob("*.yaml")} - {"kustomization.yaml"}
    assert set(KUSTOMIZATION["resources"]) == files - OPTIONAL


def test_every_service_of_compose_is_there_but_postgres_and_valkey() -> None:
    assert set(PODS) == set(SERVICES) - {"postgres", "valkey"}
    assert MANIFESTS["Job/migrate"]["spec"]["template"]["spec"]["restartPolicy"] == "Never"
    assert MANIFESTS["Deployment/maintenance"]["spec"]["replicas"] == 1


@pytest.mark.parametrize("name", OURS)
def test_containers_run_the_image_and_the_command_of_compose(name: str) -> None:
    container = main_container(name)
    assert container["image"] == OURS[name]["image"] == KUSTOMIZATION["images"][0]["name"]
    assert container["command"] == OURS[name]["command"]


def test_the_proxy_is_the_one_of_compose() -> None:
    assert main_container("proxy")["image"] == SERVICES["proxy"]["image"]
    assert (FOLDER / "proxy.conf").read_text() == defaults(COMPOSE["configs"]["proxy"]["content"])


def test_settings_are_those_of_compose_but_for_addresses_and_https() -> None:
    expected = {name: defaults(value) for name, value in OURS["web"]["environment"].items()}
    assert {name.removesuffix("_FILE") for name in STATEMENTS} <= VARIABLES.keys()
    assert STATEMENTS.keys() == expected.keys()
    assert {name: value for name, value in STATEMENTS.items() if value != expected[name]} == {
        "DATABASE_URL": "postgresql://moss_service@postgres.example.org:5432/moss?sslmode=require",
        "DATABASE_OWNER_URL": "postgresql://moss@postgres.example.org:5432/moss?sslmode=require",
        "REDIS_URL": "redis://valkey.example.org:6379/0",
        "MOSS_ALLOWED_HOSTS": "moss.example.org",
        "MOSS_CSRF_TRUSTED_ORIGINS": "https://moss.example.org",
        "MOSS_URL": "https://moss.example.org",
        "MOSS_RESULTS_URL": "https://moss.example.org",
        "MOSS_HTTPS": "true",
        "MOSS_PROXIES": "2",
    }


def test_the_settings_are_accepted_with_the_secrets_from_files(tmp_path: Path) -> None:
    variables = dict(STATEMENTS)
    for name in variables:
        if name.endswith("_FILE"):
            (tmp_path / name).write_text("a-secret-of-the-test\n")
            variables[name] = str(tmp_path / name)
    values = evaluate(tmp_path, "(s.DATABASES['default']['PASSWORD'], s.REDIS_URL)", **variables)
    password = "a-secret-of-the-test"
    assert values == str((password, f"redis://:{password}@valkey.example.org:6379/0"))


@pytest.mark.parametrize("name", OURS)
def test_every_container_of_the_service_has_all_settings(name: str) -> None:
    container = main_container(name)
    assert container["envFrom"] == [
        {"configMapRef": {"name": "moss"}},
        {"secretRef": {"name": "moss-private", "optional": True}},
    ]
    # Only the number of processes and of threads, which are those of the limit and not of the node.
    processes = ["MOSS_WORKERS", "PYTHON_CPU_COUNT"]
    variables_of = {
        "worker": processes,
        "interactive": processes,
        "migrate": ["DATABASE_OWNER_PASSWORD_FILE"],
    }
    assert [variable["name"] for variable in container.get("env", [])] == variables_of.get(name, [])


@pytest.mark.parametrize("name", ["worker", "interactive", "maintenance", "listen"])
def test_the_health_checks_are_those_of_compose(name: str) -> None:
    check, probe = OURS[name]["healthcheck"], main_container(name)["readinessProbe"]
    kind, *command = check["test"]
    shell = ["sh", "-c"] if kind == "CMD-SHELL" else []
    assert probe["exec"]["command"] == [*shell, *(part.replace("$$", "$") for part in command)]
    assert_asked_as_often_as_in_compose(probe, check)


@pytest.mark.parametrize("name", ["web", "proxy"])
def test_requests_go_to_those_that_are_healthy_as_compose_asks_them(name: str) -> None:
    check, probe = SERVICES[name]["healthcheck"], main_container(name)["readinessProbe"]
    asked, text = probe["httpGet"], " ".join(check["test"])
    assert asked["path"] == "/healthz"
    assert asked["path"] in text
    assert asked["httpHeaders"] == [{"name": "Host", "value": "localhost"}]
    assert re.search("Host'?: '?localhost", text)
    assert_asked_as_often_as_in_compose(probe, check)


def test_a_pod_ends_when_no_more_is_sent_to_it_and_a_worker_in_the_time_of_compose() -> None:
    for name in ("web", "proxy"):
        assert main_container(name)["lifecycle"]["preStop"]["exec"]["command"] == ["sleep", "5"]
    # Gunicorn takes 30 seconds for the requests that it has.
    assert PODS["web"]["terminationGracePeriodSeconds"] >= 5 + 30
    for name in ("worker", "interactive"):
        assert f"{PODS[name]['terminationGracePeriodSeconds']}s" == OURS[name]["stop_grace_period"]


def test_a_database_that_is_away_ends_no_web_server_and_a_broker_that_is_away_no_worker() -> None:
    source = main_container("web")["livenessProbe"]["exec"]["command"][-1]
    compile(source, "liveness", "exec")
    assert "'/healthz'" in source
    assert "status" not in source  # any answer will do
    for name in ("worker", "interactive", "listen"):
        assert "livenessProbe" not in main_container(name)


@pytest.mark.parametrize("name", PODS)
def test_limits_are_those_of_compose(name: str) -> None:
    resources, service = main_container(name)["resources"], SERVICES[name]
    memory = defaults(service["mem_limit"]).replace("g", "Gi").replace("m", "Mi")
    assert resources["limits"]["memory"] == memory
    cpus = defaults(str(service["cpus"]))
    # In compose.yaml a worker has all processors of the machine.
    assert resources["limits"]["cpu"] == ("2" if cpus == "0" else cpus)
    assert set(resources["requests"]) == {"cpu", "memory"}


@pytest.mark.parametrize("name", CONTAINERS)
def test_containers_have_no_rights_they_do_not_need(name: str) -> None:
    assert CONTAINERS[name]["securityContext"] == {
        "readOnlyRootFilesystem": True,
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    }
    assert CONTAINERS[name]["resources"]["limits"].keys() == {"cpu", "memory"}


@pytest.mark.parametrize("name", PODS)
def test_pods_run_as_the_user_of_the_image_without_a_token_of_the_cluster(name: str) -> None:
    pod = PODS[name]
    user = 101 if name == "proxy" else int(re.findall(r"useradd .*--uid (\d+)", DOCKERFILE)[0])
    assert pod["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": user,
        "runAsGroup": user,
        "fsGroup": user,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    # Variables that Kubernetes makes from the names of Services would be read as settings.
    assert (pod["automountServiceAccountToken"], pod["enableServiceLinks"]) == (False, False)


@pytest.mark.parametrize("name", PODS)
def test_every_volume_is_declared_used_and_made(name: str) -> None:
    volumes = {volume["name"]: volume for volume in PODS[name]["volumes"]}
    mounts = [
        mount
        for container in (*PODS[name].get("initContainers", []), *PODS[name]["containers"])
        for mount in container["volumeMounts"]
    ]
    assert {mount["name"] for mount in mounts} == set(volumes)
    created = {
        generated["name"] for generated in (*KUSTOMIZATION["configMapGenerator"], *KUSTOMIZATION["secretGenerator"])
    }
    for volume in volumes.values():
        source = volume.get("secret", {}).get("secretName") or volume.get("configMap", {}).get("name")
        assert source in created or volume["emptyDir"]["sizeLimit"]


def test_what_compose_lets_a_container_write_is_a_volume_here() -> None:
    for name, service in OURS.items():
        paths = {volume.partition(":")[2] for volume in service["volumes"]}
        mounted = {mount["mountPath"] for mount in main_container(name)["volumeMounts"]}
        assert mounted - {"/run/owner"} == paths | {"/run/secrets"}


def test_only_what_migrates_has_the_password_of_the_owner() -> None:
    secrets = {name: service["secrets"] for name, service in OURS.items()}
    assert [name for name, files in secrets.items() if "postgres_password" in files] == ["migrate"]
    volumes = {name: [volume["name"] for volume in pod["volumes"]] for name, pod in PODS.items()}
    assert [name for name, names in volumes.items() if "owner" in names] == ["migrate"]


def test_secrets_are_files_of_the_operator_and_in_no_manifest() -> None:
    files = [file for secrets in KUSTOMIZATION["secretGenerator"] for file in secrets["files"]]
    assert sorted(files) == sorted(file["file"].removeprefix("./") for file in COMPOSE["secrets"].values())
    assert not [name for name in MANIFESTS if name.startswith("Secret/")]
    assert "secrets/" in (ROOT / ".gitignore").read_text().splitlines()


def test_every_service_and_the_ingress_lead_to_a_port_that_is_there() -> None:
    services = {name.partition("/")[2]: m for name, m in MANIFESTS.items() if name.startswith("Service/")}
    assert set(services) == {"web", "proxy", "listen"}
    for name, service in services.items():
        selected = MANIFESTS[f"Deployment/{name}"]["spec"]["template"]["metadata"]["labels"]
        assert service["spec"]["selector"] == selected
        ports = {port["name"]: port["containerPort"] for port in main_container(name)["ports"]}
        assert [(port["targetPort"], port["port"]) for port in service["spec"]["ports"]] == [*ports.items()]
    (rule,) = MANIFESTS["Ingress/moss"]["spec"]["rules"]
    (path,) = rule["http"]["paths"]
    assert path["backend"]["service"] == {"name": "proxy", "port": {"name": "http"}}
    assert rule["host"] == STATEMENTS["MOSS_ALLOWED_HOSTS"]


def test_the_proxy_explains_the_limit_of_the_service_before_the_ingress_refuses_an_upload() -> None:
    annotations = MANIFESTS["Ingress/moss"]["metadata"]["annotations"]
    sizes = {value for name, value in annotations.items() if name.endswith("body-size")}
    proxy = (FOLDER / "proxy.conf").read_text()
    [taken] = re.findall(r"client_max_body_size (\d+)m;", proxy)
    assert len(sizes) == 1
    assert int(sizes.pop().removesuffix("m")) > int(taken) > int(STATEMENTS["MOSS_MAX_UPLOAD_MB"])
    assert proxy.count(f"One upload may have {STATEMENTS['MOSS_MAX_UPLOAD_MB']} MB") == 2


def test_only_the_proxy_reaches_the_web_server_and_what_is_inside_reaches_nothing_else() -> None:
    assert MANIFESTS["NetworkPolicy/nothing-else"]["spec"] == {
        "podSelector": {},
        "policyTypes": ["Ingress", "Egress"],
    }
    (source,) = MANIFESTS["NetworkPolicy/to-web"]["spec"]["ingress"][0]["from"]
    assert source == {"podSelector": {"matchLabels": {"app.kubernetes.io/component": "proxy"}}}
    (services,) = MANIFESTS["NetworkPolicy/to-services"]["spec"]["egress"]
    ports = [int(STATEMENTS[name].split(":")[-1].partition("/")[0]) for name in ("DATABASE_URL", "REDIS_URL")]
    assert [port["port"] for port in services["ports"]] == ports


def test_example_policies_select_pods_that_exist() -> None:
    known = {name for name in PODS if name != "migrate"}
    examples = list(yaml.safe_load_all((FOLDER / "networks-examples.yaml").read_text()))
    assert len(examples) > 3
    for example in examples:
        selector = example["spec"]["podSelector"]
        named = {selector.get("matchLabels", {}).get("app.kubernetes.io/component", "proxy")}
        for expression in selector.get("matchExpressions", []):
            named |= set(expression["values"])
        assert named <= known, example["metadata"]["name"]


def test_the_nightly_backup_runs_what_compose_runs_with_the_rights_of_what_migrates() -> None:
    compose = yaml.safe_load((FOLDER.parent.parent / "compose.backup.yaml").read_text())["services"]["backup"]
    pod = MANIFESTS["CronJob/backup"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    migrate = main_container("migrate")
    assert (container["image"], container["command"]) == (compose["image"], compose["command"])
    for field in ("securityContext", "envFrom", "env", "resources"):
        assert container[field] == migrate[field]
    assert pod["securityContext"] == PODS["migrate"]["securityContext"]
    assert (pod["automountServiceAccountToken"], pod["enableServiceLinks"]) == (False, False)
    claims = [one["persistentVolumeClaim"]["claimName"] for one in pod["volumes"] if "persistentVolumeClaim" in one]
    assert claims == [MANIFESTS["PersistentVolumeClaim/backups"]["metadata"]["name"]]
    assert {mount["name"] for mount in container["volumeMounts"]} == {one["name"] for one in pod["volumes"]}


def assert_asked_as_often_as_in_compose(probe: dict[str, Any], check: dict[str, Any]) -> None:
    seconds = f"{probe['periodSeconds']}s", f"{probe['timeoutSeconds']}s"
    assert seconds == (check["interval"], check["timeout"])
