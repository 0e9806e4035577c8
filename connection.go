package parley

// The models of the contract, as settings name them. Others go by their own names.
const (
	ModelRoleDefault  = "default"
	ModelRoleBasic    = "basic"
	ModelRoleEnhanced = "enhanced"
)

// Connection says where the settings of a connection to another service come from.
type Connection struct {
	From string `json:"from" enum:"configuration,database,default" doc:"configuration: a flag, the environment or the settings file has it, so it can't be changed here. database: an administrator has connected it. default: nothing has set it." example:"database"`
	// FixedBy is the variable, the flag, or the line of the settings file.
	FixedBy string `json:"fixed_by,omitempty" doc:"What in the configuration sets it." example:"PARLEY_AI_BASE_URL"`
	HasKey  bool   `json:"has_key" doc:"Whether there is a key. Keys are never sent." example:"true"`
	KeyLost bool   `json:"key_lost" doc:"Whether the stored key can't be read, because PARLEY_SECRET_KEY or the file secret.key is another than when it was stored. Enter the key again." example:"false"`
}

// ModelConnection is a model on offer and its server.
type ModelConnection struct {
	Name    string `json:"name" doc:"default, basic or enhanced for the three models of every server, else the name of the model." example:"default"`
	ShownAs string `json:"shown_as" doc:"What users call it." example:"基础模型"`
	Connection
	Builtin       bool   `json:"builtin" doc:"Whether it is the built-in model, which has no server." example:"false"`
	BaseURL       string `json:"base_url" doc:"Address of its server; empty if it is built in." example:"https://api.openai.com/v1"`
	Model         string `json:"model" doc:"The server's name of it." example:"gpt-5"`
	Thinking      string `json:"thinking" doc:"How deep thinking is requested." example:"auto"`
	ContextTokens int    `json:"context_tokens" doc:"Tokens of a prompt and its reply as they are set; 0 if the server is asked." example:"128000"`
	Images        bool   `json:"images" doc:"Whether it sees pictures." example:"true"`
	Description   string `json:"description" doc:"A line for users." example:"Fast, for everyday questions."`
}

// ModelConnections are all models on offer.
type ModelConnections struct {
	Models     []ModelConnection `json:"models" nullable:"false" doc:"The models on offer, the default first."`
	KeysShared bool              `json:"keys_shared" doc:"Whether every server on the same database can read the keys that are stored here. If not, set PARLEY_SECRET_KEY to the same value on each." example:"true"`
}

// ModelInput connects a model.
type ModelInput struct {
	BaseURL       string  `json:"base_url" minLength:"1" maxLength:"2000" doc:"Address of a server that is compatible with OpenAI's API, with its /v1." example:"https://api.openai.com/v1"`
	APIKey        *string `json:"api_key,omitempty" maxLength:"4000" doc:"Key for the server. Left out, the stored one stays, or that of another model with the same host is used. Empty for none." example:"sk-..."`
	Model         string  `json:"model" minLength:"1" maxLength:"200" doc:"The server's name of the model." example:"gpt-5"`
	Thinking      string  `json:"thinking,omitempty" required:"false" maxLength:"20" doc:"How to request deep thinking: auto (by the server's address), openai, deepseek, qwen, vllm, ollama, openrouter, effort or none. Default: auto." example:"auto"`
	ContextTokens int     `json:"context_tokens,omitempty" required:"false" minimum:"0" doc:"Tokens of a prompt and its reply; 0 asks the server. Default: 0." example:"128000"`
	Images        bool    `json:"images,omitempty" required:"false" doc:"Whether the model sees pictures. Default: false." example:"true"`
	Description   string  `json:"description,omitempty" required:"false" maxLength:"200" doc:"A line for users. Default: none." example:"Fast, for everyday questions."`
}

// ModelTestInput names a model to try.
type ModelTestInput struct {
	BaseURL  string  `json:"base_url" minLength:"1" maxLength:"2000" doc:"Address of a server that is compatible with OpenAI's API, with its /v1." example:"http://127.0.0.1:11434/v1"`
	APIKey   *string `json:"api_key,omitempty" maxLength:"4000" doc:"Key for the server. Left out, the stored one of the model that name tells is used, if the address has the same host." example:"sk-..."`
	Model    string  `json:"model,omitempty" required:"false" maxLength:"200" doc:"The server's name of the model. Without it the models are listed, and none is asked." example:"gpt-5"`
	Thinking string  `json:"thinking,omitempty" required:"false" maxLength:"20" doc:"How to request deep thinking. Default: auto." example:"auto"`
	Name     string  `json:"name,omitempty" required:"false" maxLength:"200" doc:"The model that the key is stored for." example:"default"`
}

// ServiceTest is the result of trying a service.
type ServiceTest struct {
	Reachable bool   `json:"reachable" doc:"Whether it works." example:"true"`
	Reason    string `json:"reason,omitempty" enum:"too_long,policy,quota,unknown_model,key,overloaded,unreachable,failed" doc:"Why not; left out if it works." example:"key"`
	Detail    string `json:"detail,omitempty" doc:"What the service has said, or what went wrong; left out if it works." example:"model key (status 401): Incorrect API key provided"`
}

// ModelTestOutput is the result of trying a model.
type ModelTestOutput struct {
	ServiceTest
	Models      []string `json:"models" nullable:"false" doc:"The models that the server lists, in alphabetical order, at most 1,000. Some servers list none." example:"[\"gpt-5\",\"gpt-5-mini\"]"`
	FirstWord   string   `json:"first_word,omitempty" doc:"The beginning of the model's reply." example:"Hello"`
	FirstWordMS int64    `json:"first_word_ms,omitempty" doc:"Milliseconds until then." example:"420"`
}

// SearchService is the web-search service.
type SearchService struct {
	Connection
	Provider string `json:"provider" doc:"searxng, tavily, brave or bocha; empty if there is none." example:"searxng"`
	URL      string `json:"url" doc:"Its address; empty for the usual one of the provider." example:"http://127.0.0.1:8888"`
}

// SearchServiceInput connects a web-search service.
type SearchServiceInput struct {
	Provider string  `json:"provider" enum:"searxng,tavily,brave,bocha" doc:"The service." example:"searxng"`
	URL      string  `json:"url,omitempty" required:"false" maxLength:"2000" doc:"Its address; needed for searxng, the others have their usual one." example:"http://127.0.0.1:8888"`
	APIKey   *string `json:"api_key,omitempty" maxLength:"4000" doc:"Key for the service; needed for all but searxng. Left out, the stored one stays, if provider and address are the same." example:"sk-..."`
}

// SearchTestOutput is the result of trying a web-search service.
type SearchTestOutput struct {
	ServiceTest
	Results int `json:"results" doc:"How many results a search has given." example:"6"`
}

// EmbeddingsServer is the server that turns passages into vectors.
type EmbeddingsServer struct {
	Connection
	BaseURL string `json:"base_url" doc:"Its address; empty if there is none." example:"http://127.0.0.1:11434/v1"`
	Model   string `json:"model" doc:"The server's name of the model." example:"bge-m3"`
}

// EmbeddingsInput connects an embeddings server.
type EmbeddingsInput struct {
	BaseURL string  `json:"base_url" minLength:"1" maxLength:"2000" doc:"Address of a server with OpenAI's API for embeddings, with its /v1." example:"http://127.0.0.1:11434/v1"`
	APIKey  *string `json:"api_key,omitempty" maxLength:"4000" doc:"Key for the server. Left out, the stored one stays, if the address has the same host." example:"sk-..."`
	Model   string  `json:"model" minLength:"1" maxLength:"200" doc:"The server's name of the model. With another model the vectors of all files are made again." example:"bge-m3"`
}

// EmbeddingsTestOutput is the result of trying an embeddings server.
type EmbeddingsTestOutput struct {
	ServiceTest
	Dimension int `json:"dimension" doc:"How many numbers a vector has." example:"1024"`
}
