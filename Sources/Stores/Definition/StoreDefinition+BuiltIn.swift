import Basics
import Profiles

extension StoreDefinition {
    /// The text of each file that is part of the program, by the store's name.
    static let builtInSources: [String: String] = [
        "amazon-kiro": PackageResources.amazon_kiro_toml,
        "argocd": PackageResources.argocd_toml,
        "aws": PackageResources.aws_toml,
        "aws-sso": PackageResources.aws_sso_toml,
        "azure": PackageResources.azure_toml,
        "cargo": PackageResources.cargo_toml,
        "claude": PackageResources.claude_toml,
        "cloudfoundry": PackageResources.cloudfoundry_toml,
        "codex": PackageResources.codex_toml,
        "databricks": PackageResources.databricks_toml,
        "digitalocean": PackageResources.digitalocean_toml,
        "docker": PackageResources.docker_toml,
        "firebase": PackageResources.firebase_toml,
        "fly": PackageResources.fly_toml,
        "gcloud": PackageResources.gcloud_toml,
        "gemini": PackageResources.gemini_toml,
        "git": PackageResources.git_toml,
        "github": PackageResources.github_toml,
        "github-copilot": PackageResources.github_copilot_toml,
        "huggingface": PackageResources.huggingface_toml,
        "kubernetes": PackageResources.kubernetes_toml,
        "mcp-remote": PackageResources.mcp_remote_toml,
        "netlify": PackageResources.netlify_toml,
        "netrc": PackageResources.netrc_toml,
        "npm": PackageResources.npm_toml,
        "opencode": PackageResources.opencode_toml,
        "pulumi": PackageResources.pulumi_toml,
        "qwen": PackageResources.qwen_toml,
        "rclone": PackageResources.rclone_toml,
        "snyk": PackageResources.snyk_toml,
        "supabase": PackageResources.supabase_toml,
        "terraform": PackageResources.terraform_toml,
        "uv": PackageResources.uv_toml,
        "vault": PackageResources.vault_toml,
        "vercel": PackageResources.vercel_toml,
        "wrangler": PackageResources.wrangler_toml,
    ].mapValues { String(decoding: $0, as: UTF8.self) }

    /// The stores that are part of the program, in alphabetical order; one that cannot be parsed is
    /// missing, which a test detects.
    package static let builtIn: [StoreDefinition] = builtInSources.sorted { $0.key < $1.key }
        .compactMap { name, text in
            try? StoreDefinition(toml: text, file: "\(name).toml", name: name)
        }
}
